import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type WireRecord, withService } from "../testing/http/service.test-support.ts";

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

test("a token or key is taken as a bearer, and as the password of basic authentication", () =>
	withService(async ({ urls, token, ask }) => {
		const created = await ask("/v1/apikeys", { method: "POST", body: JSON.stringify({ user: "admin" }) });
		const { key } = (await created.json()) as { key: string };
		const get = async (headers: Record<string, string>) => {
			const response = await fetch(`${urls.api}/v1/user`, { headers });
			const text = await response.text();
			assert.ok(!text.includes(token) && !text.includes(key));
			return { status: response.status, headers: response.headers, body: JSON.parse(text) as WireRecord };
		};
		for (const authorization of [`Bearer ${token}`, `bearer  ${key}`, basic("admin", key), basic("anything", token), basic("", key)]) {
			const { status, body, headers } = await get({ authorization });
			assert.equal(status, 200, authorization);
			assert.equal(body["username"], "admin");
			assert.equal(headers.get("set-cookie"), null);
		}
		for (const authorization of ["Bearer", "Bearer no", `Digest ${key}`, basic(key, ""), basic("admin", "a password"), "Basic ???"]) {
			assert.equal((await get({ authorization })).status, 401, authorization);
		}
		// A proxy may have put its own credential there.
		const own = { "x-auth-token": token, authorization: basic("proxy", "secret") };
		assert.equal((await get(own)).status, 200);
		assert.equal((await get({ cookie: `auth-token=${token}`, authorization: "Bearer other" })).status, 200);
		assert.equal((await get({ cookie: "auth-token=other", authorization: `Bearer ${token}` })).status, 401);
	}));

test("pages of other origins cannot use the basic authentication that a browser repeats", () =>
	withService(async ({ urls, token }) => {
		const send = (authorization: string, headers: Record<string, string>) =>
			fetch(`${urls.api}/v1/webhooks/svc`, { method: "POST", body: "{}", headers: { authorization, ...headers } });
		for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }] as Record<string, string>[]) {
			assert.equal((await send(basic("x", token), headers)).status, 403);
			assert.equal((await send(`Bearer ${token}`, headers)).status, 400, "browsers never add a bearer by themselves");
		}
		assert.equal((await send(basic("x", token), {})).status, 400);
	}));

test("a token that came as a bearer can be ended", () =>
	withService(async ({ urls, token }) => {
		const headers = { authorization: `Bearer ${token}` };
		assert.equal((await fetch(`${urls.api}/auth/v1/tokens/current`, { method: "DELETE", headers })).status, 204);
		assert.equal((await fetch(`${urls.api}/v1/user`, { headers })).status, 401);
	}));

test.run();
