import * as assert from "node:assert/strict";
import { request as send } from "node:http";
import { test } from "uvu";
import { withGuardedService } from "../testing/http/guarded-service.test-support.ts";
import { withService } from "../testing/http/service.test-support.ts";

type Headers = Readonly<Record<string, string>>;

interface Asked {
	readonly method?: string;
	readonly headers?: Headers;
	readonly body?: string;
}

interface Answer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly text: string;
}

/** As a browser would: every header is sent as it is given. Answers that do not end are given up once they have begun. */
function ask(url: string, { method = "POST", headers = {}, body }: Asked): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const sent = send(url, { method, headers: { ...headers, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) } });
		sent.on("error", reject).on("response", (response) => {
			const { statusCode: status = 0, headers: given } = response;
			const answer = (text: string) => resolve({ status, headers: given, text });
			if (String(given["content-type"]).startsWith("text/event-stream")) {
				answer("");
				return void sent.destroy();
			}
			let text = "";
			response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
			response.on("end", () => answer(text)).on("error", reject);
		});
		sent.end(body);
	});
}

const json = { "content-type": "application/json" };
const body = JSON.stringify({ user: "root" });
const foreignOrigins = ["https://evil.example", "null", "http://localhost:3000", "http://127.0.0.1:8080", "http://127.0.0.1", "x", ""];

test("with the cookie alone a page of another origin changes nothing, whatever it sends", () =>
	withGuardedService(async ({ urls, signIn, ask: look }) => {
		const token = await signIn("root");
		const cookie = { cookie: `auth-token=${token}` };
		const before = await look(token, "GET", "/v1/apikeys");
		const url = `${urls.api}/v1/apikeys`;
		const types: Headers[] = [{}, json, { "content-type": "text/plain" }, { "content-type": "application/x-www-form-urlencoded" }];
		for (const origin of foreignOrigins) {
			for (const type of types) {
				const { status } = await ask(url, { headers: { ...cookie, ...type, origin }, body });
				assert.equal(status, 403, `${origin} ${JSON.stringify(type)}`);
			}
		}
		// Browsers that say nothing of the origin, or take the page's host for the service's.
		for (const headers of [{}, { "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-origin" }, { referer: urls.api }]) {
			assert.equal((await ask(url, { headers: { ...cookie, ...json, ...headers }, body })).status, 403, JSON.stringify(headers));
		}
		for (const site of ["cross-site", "same-site"]) {
			const headers = { ...cookie, ...json, origin: urls.api, "sec-fetch-site": site };
			assert.equal((await ask(url, { headers, body })).status, 403, site);
		}
		for (const type of types.filter((each) => each !== json)) {
			const { status } = await ask(url, { headers: { ...cookie, ...type, origin: urls.api }, body });
			assert.equal(status, 400, JSON.stringify(type));
		}
		for (const method of ["PUT", "DELETE"]) {
			const asked = { method, headers: { ...cookie, ...json, origin: "https://evil.example" }, body: "{}" };
			assert.equal((await ask(`${urls.api}/v1/executions/last`, asked)).status, 403, method);
			assert.equal((await ask(`${urls.auth}/tokens/${token}`, asked)).status, method === "PUT" ? 405 : 403, method);
		}
		assert.deepEqual(await look(token, "GET", "/v1/apikeys"), before);
	}));

test("with the cookie a page of the service does everything", () =>
	withGuardedService(async ({ urls, signIn }) => {
		const cookie = { cookie: `auth-token=${await signIn("root")}` };
		const url = `${urls.api}/v1/apikeys`;
		for (const headers of [
			{ origin: urls.api },
			{ origin: urls.api, "sec-fetch-site": "same-origin", "content-type": "application/json; charset=utf-8" },
			{ origin: "https://svc.example.org", host: "svc.example.org" },
			{ origin: "https://svc.example.org:8443", host: "svc.example.org:8443" },
			{ origin: "https://svc.example.org", host: "SVC.example.org:443" },
		]) {
			const { status, text } = await ask(url, { headers: { ...cookie, ...json, ...headers }, body });
			assert.equal(status, 201, text);
		}
		const created = await ask(url, { headers: { ...cookie, ...json, origin: urls.api }, body });
		const { id } = JSON.parse(created.text) as { id: string };
		const own = { ...cookie, origin: urls.api };
		assert.equal((await ask(`${url}/${id}`, { method: "DELETE", headers: own })).status, 204);
		for (const headers of [cookie, { ...cookie, "sec-fetch-site": "same-origin" }, { ...cookie, "sec-fetch-site": "none" }]) {
			assert.equal((await ask(url, { method: "GET", headers })).status, 200);
			assert.equal((await ask(`${urls.stream}/stream`, { method: "GET", headers })).status, 200);
		}
	}));

test("an origin that is allowed by name may use the cookie, others not even beside a star", () =>
	withService(
		async ({ urls, token }) => {
			const create = (origin: string) => {
				const headers = { ...json, cookie: `auth-token=${token}`, origin, "sec-fetch-site": "cross-site" };
				return ask(`${urls.api}/v1/apikeys`, { headers, body: "{}" });
			};
			const { status, headers } = await create("https://a.example");
			assert.equal(status, 201);
			assert.deepEqual(
				[headers["access-control-allow-origin"], headers["access-control-allow-credentials"]],
				["https://a.example", "true"],
			);
			const refused = await create("https://b.example");
			assert.equal(refused.status, 403);
			assert.deepEqual(
				[refused.headers["access-control-allow-origin"], refused.headers["access-control-allow-credentials"]],
				["*", undefined],
			);
		},
		{ api: { allow_origin: ["https://a.example", "*"] } },
	));

test("with the cookie alone other pages read nothing in the background and follow no stream, but may link", () =>
	withGuardedService(async ({ urls, signIn }) => {
		const cookie = { cookie: `auth-token=${await signIn("root")}` };
		for (const site of ["cross-site", "same-site"]) {
			for (const url of [`${urls.api}/v1/apikeys`, `${urls.api}/stream/v1/stream`, `${urls.stream}/stream`]) {
				const { status } = await ask(url, { method: "GET", headers: { ...cookie, "sec-fetch-site": site, "sec-fetch-mode": "no-cors" } });
				assert.equal(status, 403, `${url} ${site}`);
				assert.equal((await ask(url, { method: "GET", headers: { ...cookie, origin: "https://evil.example" } })).status, 403);
			}
		}
		const link = { ...cookie, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
		assert.equal((await ask(`${urls.api}/v1/apikeys`, { method: "GET", headers: link })).status, 200);
	}));

test("whoever shows a token or a key in header or query is asked for no origin", () =>
	withGuardedService(async ({ urls, signIn }) => {
		const token = await signIn("root");
		const url = `${urls.api}/v1/apikeys`;
		const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
		const created = await ask(url, { headers: { ...foreign, "x-auth-token": token, cookie: "auth-token=x" }, body });
		assert.equal(created.status, 201);
		const { key } = JSON.parse(created.text) as { key: string };
		assert.equal((await ask(url, { headers: { ...foreign, "svc-api-key": key }, body })).status, 201);
		assert.equal((await ask(`${url}?x-auth-token=${token}`, { headers: { "content-type": "text/plain" }, body })).status, 201);
	}));

test("a link of another page signs nobody in as somebody else", () =>
	withGuardedService(async ({ urls, signIn }) => {
		const url = `${urls.api}/v1/user?x-auth-token=${await signIn("mallory")}`;
		const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
		const linked = await ask(url, { method: "GET", headers: link });
		assert.deepEqual([linked.status, linked.headers["set-cookie"]], [200, undefined]);
		const opened = await ask(url, { method: "GET", headers: { "sec-fetch-site": "none" } });
		assert.match(String(opened.headers["set-cookie"]), /^auth-token=/);
	}));

test("signing in gives a page of the service the cookie that its first stream needs, and signing out takes it", () =>
	withGuardedService(async ({ urls }) => {
		const headers = { authorization: `Basic ${Buffer.from("root:root").toString("base64")}`, ...json };
		const signIn = (given: Headers) => ask(`${urls.api}/auth/v1/tokens`, { headers: { ...headers, ...given }, body: "{}" });
		const own = { origin: urls.api, "sec-fetch-site": "same-origin" };
		const issued = await signIn(own);
		assert.equal(issued.status, 201);
		const [cookie = ""] = String(issued.headers["set-cookie"]).split(";", 1);
		const { token } = JSON.parse(issued.text) as { token: string };
		assert.equal(cookie, `auth-token=${token}`);
		const stream = `${urls.api}/stream/v1/stream`;
		assert.equal((await ask(stream, { method: "GET", headers: { cookie, "sec-fetch-site": "same-origin" } })).status, 200);
		const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
		assert.equal((await ask(stream, { method: "GET", headers: { cookie, ...foreign } })).status, 403);
		for (const given of [foreign, { origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
			const other = await signIn(given);
			assert.deepEqual([other.status, other.headers["set-cookie"]], [201, undefined], JSON.stringify(given));
		}
		const ended = await ask(`${urls.api}/auth/v1/tokens/${token}`, { method: "DELETE", headers: { cookie, ...own } });
		assert.equal(ended.status, 204);
		assert.match(String(ended.headers["set-cookie"]), /^auth-token=; .*Max-Age=0/);
		assert.equal((await ask(stream, { method: "GET", headers: { cookie } })).status, 401);
	}));

test("while authentication is off, pages of other origins still may do nothing", () =>
	withGuardedService(
		async ({ urls }) => {
			const url = `${urls.api}/v1/executions`;
			const run = JSON.stringify({ action: "default.speak" });
			for (const origin of foreignOrigins) {
				assert.equal((await ask(url, { headers: { "content-type": "text/plain", origin }, body: run })).status, 403, origin);
			}
			assert.equal((await ask(url, { headers: { "sec-fetch-site": "cross-site" }, body: run })).status, 403);
			for (const headers of [{}, json, { ...json, origin: urls.api, "sec-fetch-site": "same-origin" }]) {
				assert.equal((await ask(url, { headers, body: run })).status, 201);
			}
		},
		{ auth: { enable: false }, rbac: { enable: false } },
	));

test.run();
