import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "../testing/http/guarded-service.test-support.ts";

/** The system user, and what looks like it: other case, other width, something that is not seen, another sign for s. */
const names = ["svc", "SVC", "Svc", " svc", "ｓｖｃ", "s\u200bvc", "s\u00advc", "ſvc"];
/** Names like others. */
const others = ["svc2", "svc-bot", "vcs"];

test("nobody signs in by the name of the system user", () =>
	withGuardedService(async ({ urls, log }) => {
		const signIn = (name: string) => {
			const authorization = `Basic ${Buffer.from(`${name}:${name}`).toString("base64")}`;
			return fetch(`${urls.auth}/tokens`, { method: "POST", headers: { authorization }, body: "{}" });
		};
		for (const name of names) assert.equal((await signIn(name)).status, 401, JSON.stringify(name));
		for (const name of others) assert.equal((await signIn(name)).status, 201, name);
		assert.ok(log.some((line) => line.includes("the name is that of the system user")));
	}));

test("a proxy names anybody but the system user", () =>
	withGuardedService(
		async ({ urls }) => {
			const signIn = (name: string) =>
				fetch(`${urls.auth}/tokens`, { method: "POST", headers: { "x-forwarded-user": name }, body: "{}" }).then(({ status }) => status);
			for (const name of ["svc", "SVC", "Svc"]) assert.equal(await signIn(name), 401, name);
			for (const name of others) assert.equal(await signIn(name), 201, name);
		},
		{ auth: { mode: "proxy", trusted_proxies: ["127.0.0.1"] } },
	));

test("neither an API key nor an execution is for the system user, administrators' included", () =>
	withGuardedService(async ({ ask, signIn }) => {
		const root = await signIn("root");
		const { body: own } = await ask(root, "POST", "/v1/apikeys", {});
		for (const user of names) {
			assert.equal((await ask(root, "POST", "/v1/apikeys", { user })).status, 400, JSON.stringify(user));
			assert.equal((await ask(root, "PUT", `/v1/apikeys/${String(own["id"])}`, { user })).status, 400, JSON.stringify(user));
			const started = await ask(root, "POST", "/v1/executions", { action: "default.speak", user });
			assert.equal(started.status, 400, JSON.stringify(user));
			assert.match(String(started.body["faultstring"]), /system_user\.user/);
		}
		for (const user of others) {
			assert.equal((await ask(root, "POST", "/v1/apikeys", { user })).status, 201, user);
			assert.equal((await ask(root, "POST", "/v1/executions", { action: "default.speak", user })).status, 201, user);
		}
	}));

test.run();
