import * as assert from "node:assert/strict";
import { test } from "uvu";
import { defineAuthBackend } from "../contract/index.ts";
import { withGuardedService } from "../testing/http/guarded-service.test-support.ts";

const unseen = [
	"a\u0000b",
	"a\u001b[2Jb",
	"a\u007fb",
	"a\u009bb",
	"a\nb",
	"a\u061cb",
	"a\u200eb",
	"a\u200fb",
	"a\u2028b",
	"a\u202eb",
	"a\u2066b",
];
/** Letters of another script that look like ours. */
const similar = ["\u0430dmin", "a\u0131", "\uff41"];

/** Takes everybody, by any name. */
const everybody = defineAuthBackend("everybody", () => ({ authenticate: async ({ username }) => ({ username }) }));

test("names of actions, rules, packs, policies and trigger types are ASCII, whoever makes them", () =>
	withGuardedService(async ({ ask, signIn }) => {
		const root = await signIn("root");
		for (const name of [...unseen, ...similar]) {
			for (const [path, body] of [
				["/v1/actions", { name, runner_type: "speak" }],
				["/v1/actions", { name: "fine", pack: name, runner_type: "speak" }],
				["/v1/rules", { name, trigger: { type: "default.seen" }, action: { ref: "default.speak" } }],
				["/v1/rules", { name: "fine", pack: name, trigger: { type: "default.seen" }, action: { ref: "default.speak" } }],
				["/v1/policies", { name, resource_ref: "default.speak", policy_type: "action.concurrency", parameters: { threshold: 1 } }],
				["/v1/triggertypes", { name, pack: "default" }],
			] as const) {
				const { status } = await ask(root, "POST", path, body);
				assert.equal(status, 400, `${path} ${JSON.stringify(body)}`);
			}
			const renamed = await ask(root, "PUT", "/v1/actions/default.speak", { name, pack: "default", runner_type: "speak" });
			assert.equal(renamed.status, 400, JSON.stringify(name));
		}
		const made = await ask(root, "POST", "/v1/actions", { name: "Fine_name-1.2", runner_type: "speak" });
		assert.equal(made.status, 201);
	}));

test("users, keys and what describes them, datastore items and trace tags hold nothing that does not show", () =>
	withGuardedService(async ({ ask, signIn, urls }) => {
		const root = await signIn("root");
		for (const text of unseen) {
			const label = JSON.stringify(text);
			assert.equal((await ask(root, "POST", "/v1/apikeys", { user: text })).status, 400, label);
			assert.equal((await ask(root, "POST", "/v1/apikeys", { metadata: { [text]: 1 } })).status, 400, label);
			if (text !== "a\nb") {
				assert.equal((await ask(root, "POST", "/v1/apikeys", { metadata: { inner: [{ used_by: text }] } })).status, 400, label);
			}
			const path = `/v1/keys/${encodeURIComponent(text)}`;
			assert.equal((await ask(root, "PUT", path, { name: text, value: "v" })).status, 400, label);
			const run = { action: "default.speak", context: { trace_context: { trace_tag: text } } };
			assert.equal((await ask(root, "POST", "/v1/executions", run)).status, 400, label);
		}
		for (const [path, body] of [
			["/v1/apikeys", { user: "Ünal ✓", metadata: { used_by: "monitoring\nin Köln", שלום: "שלום" } }],
			["/v1/executions", { action: "default.speak", context: { trace_context: { trace_tag: "größe" } } }],
		] as const) {
			assert.equal((await ask(root, "POST", path, body)).status, 201);
		}
		const headers = { "x-auth-token": root, "content-type": "application/json", "svc-trace-tag": "a\u009bb" };
		const hook = await fetch(`${urls.api}/v1/webhooks/svc`, {
			method: "POST",
			headers,
			body: '{"trigger": "default.seen", "payload": {}}',
		});
		assert.equal(hook.status, 400);
	}));

test("nobody signs in for the first time by a name that would show as another one", () =>
	withGuardedService(
		async ({ urls, log }) => {
			for (const name of ["mal\u202elory", "root\u200f", "a\u001b[2J", "a\nb"]) {
				const authorization = `Basic ${Buffer.from(`${name}:x`).toString("base64")}`;
				const { status } = await fetch(`${urls.auth}/tokens`, { method: "POST", headers: { authorization } });
				assert.equal(status, 400, JSON.stringify(name));
			}
			assert.doesNotMatch(log.join("").replaceAll("\n", ""), /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
			const authorization = `Basic ${Buffer.from("Ünal:x").toString("base64")}`;
			assert.equal((await fetch(`${urls.auth}/tokens`, { method: "POST", headers: { authorization } })).status, 201);
		},
		{ auth: { backend: everybody() } },
	));

test.run();
