import * as assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "uvu";
import { SvcError } from "../contract/index.ts";
import { createGuard, createServiceHttp } from "../service/create-http.ts";
import {
	apiKey,
	createExecution,
	createMemoryLogger,
	createOptions,
	FakeEngine,
	firstId,
	toEngine,
	token,
} from "../testing/http/fake-engine.test-support.ts";
import { faultOf, json, post, until, withHttp } from "../testing/http/http.test-support.ts";
import { createApp, toPaths } from "./app.ts";
import { createCors } from "./cors.ts";
import { toErrorReply } from "./replies.ts";

test("every listener answers its routes under every prefix form", () =>
	withHttp(async ({ fake, urls }) => {
		fake.stored.push(createExecution({ status: "succeeded" }));
		const output = `/executions/${firstId}/output`;
		const headers = { "x-auth-token": token };
		const gets = [
			...["", "/v1", "/api", "/api/v1"].flatMap((prefix) => [
				urls.api + prefix,
				`${urls.api}${prefix}/user`,
				`${urls.api}${prefix}/executions/`,
				`${urls.api}${prefix}/executions/last`,
				`${urls.api}${prefix}/actionexecutions/${firstId}`,
				urls.api + prefix + output,
			]),
			...["/stream", "/stream/v1"].map((prefix) => urls.api + prefix + output),
			...["", "/v1", "/stream", "/stream/v1"].map((prefix) => urls.stream + prefix + output),
		];
		for (const url of gets) {
			const response = await fetch(url, { headers });
			const isStream = url.startsWith(urls.stream) || url.includes("/stream");
			assert.equal(response.status, 200, url);
			assert.equal((response.headers.get("content-type") ?? "").startsWith("text/event-stream"), isStream, url);
			await response.text();
		}
		for (const base of [urls.auth, urls.api]) {
			for (const path of ["/tokens", "/v1/tokens", "/auth/tokens", "/auth/v1/tokens", "/auth/v1/tokens/"]) {
				assert.equal((await fetch(base + path, { method: "POST" })).status, 401, path);
			}
		}
	}));

test("the general stream answers under every prefix form", () =>
	withHttp(async ({ urls }) => {
		const paths = [
			...["/stream", "/v1/stream", "/api/stream", "/api/v1/stream", "/stream/v1/stream", "/stream/stream"].map((path) => urls.api + path),
			...["/stream", "/v1/stream", "/stream/v1/stream", "/stream/stream"].map((path) => urls.stream + path),
		];
		for (const url of paths) {
			const controller = new AbortController();
			const response = await fetch(url, { headers: { "x-auth-token": token }, signal: controller.signal });
			assert.equal(response.headers.get("content-type"), "text/event-stream; charset=UTF-8", url);
			controller.abort();
		}
	}));

test("what is not routed is 404 without credentials, also for other components' paths", () =>
	withHttp(async ({ urls }) => {
		for (const [method, url] of [
			["GET", `${urls.api}/v1/nothing`],
			["GET", `${urls.auth}/v1/executions`],
			["GET", `${urls.stream}/v1/executions`],
			["GET", `${urls.api}/v1//executions`],
		] as const) {
			const response = await fetch(url, { method });
			assert.equal(response.status, 404, `${method} ${url}`);
			assert.ok(await faultOf(response));
		}
	}));

test("a path with a method that it does not take is 405 without credentials, and says which it takes", () =>
	withHttp(async ({ urls }) => {
		for (const [method, path, allow] of [
			["PATCH", "/v1/executions", "GET, POST, OPTIONS"],
			["PUT", "/api/v1/actionexecutions/", "GET, POST, OPTIONS"],
			["HEAD", "/v1/executions", "GET, POST, OPTIONS"],
			["POST", "/", "GET, OPTIONS"],
			["POST", "/v1/keys/limit", "GET, PUT, DELETE, OPTIONS"],
			["DELETE", "/v1/webhooks/disk/full", "GET, HEAD, POST, OPTIONS"],
			["GET", "/auth/v1/tokens", "POST, OPTIONS"],
			["POST", "/stream/v1/stream", "GET, OPTIONS"],
		] as const) {
			const response = await fetch(urls.api + path, { method });
			assert.deepEqual([response.status, response.headers.get("allow")], [405, allow], `${method} ${path}`);
			if (method !== "HEAD") assert.ok(await faultOf(response));
		}
		// An item may be called as a request is.
		assert.equal((await fetch(`${urls.api}/v1/keys/rotate`)).status, 401);
	}));

test("a path that cannot be decoded is 400", () =>
	withHttp(async ({ urls, ask }) => {
		const response = await fetch(`${urls.api}/v1/executions/%`);
		assert.equal(response.status, 400);
		assert.match(await faultOf(response), /path/);
		assert.equal((await ask("/v1/actions/core%2Elocal")).status, 200);
		assert.equal((await ask("/v1/actions/a%2Fb")).status, 404);
	}));

test("OPTIONS on any path is 200 with CORS headers and needs no credential", () =>
	withHttp(
		async ({ urls }) => {
			const response = await fetch(`${urls.api}/any/where`, { method: "OPTIONS", headers: { origin: "https://b.example" } });
			assert.equal(response.status, 200);
			assert.equal(await response.text(), "");
			assert.equal(response.headers.get("access-control-allow-origin"), "https://b.example");
			assert.equal(response.headers.get("access-control-allow-methods"), "GET,POST,PUT,DELETE,OPTIONS");
			const other = await fetch(`${urls.api}/v1/nothing`, { headers: { origin: "https://c.example" } });
			assert.equal(other.headers.get("access-control-allow-origin"), "https://a.example");
		},
		{ api: { allow_origin: ["https://a.example", "https://b.example"] } },
	));

test("an origin that nobody allowed gets no permission", () => {
	for (const origin of [null, "null", "https://c.example", "http://localhost:3000", "http://localhost:8080", "http://127.0.0.1:3000"]) {
		const headers = createCors(createOptions()).toHeaders(origin);
		assert.equal(headers["access-control-allow-origin"], undefined, String(origin));
		assert.equal(headers["access-control-allow-credentials"], undefined, String(origin));
	}
});

test("every origin is allowed without what browsers send by themselves, a named one with it", () => {
	const { toHeaders } = createCors(
		createOptions({ api: { allow_origin: ["*", "https://a.example"] }, auth: { api_url: "https://b.example/api" } }),
	);
	const permissions = (origin: string | null) => {
		const headers = toHeaders(origin);
		return [headers["access-control-allow-origin"], headers["access-control-allow-credentials"]];
	};
	for (const origin of [null, "null", "https://c.example"]) assert.deepEqual(permissions(origin), ["*", undefined]);
	for (const origin of ["https://a.example", "https://b.example"]) assert.deepEqual(permissions(origin), [origin, "true"]);
});

test("a request id is echoed when it is harmless, else a new one is made", () =>
	withHttp(async ({ urls }) => {
		const echo = async (id: string) => (await fetch(`${urls.api}/v1/x`, { headers: { "x-request-id": id } })).headers.get("x-request-id");
		assert.equal(await echo("abc-1"), "abc-1");
		assert.match((await echo("a b")) ?? "", /^[0-9a-f-]{36}$/);
		assert.match((await echo("x".repeat(500))) ?? "", /^[0-9a-f-]{36}$/);
	}));

test("credentials are taken from header, query and cookie, and both kinds at once are refused", () =>
	withHttp(async ({ urls, fake, logger }) => {
		const status = async (query: string, headers: Record<string, string> = {}) =>
			(await fetch(`${urls.api}/v1/user${query}`, { headers })).status;
		assert.equal(await status(""), 401);
		assert.equal(await status("", { "x-auth-token": token }), 200);
		assert.equal(await status("", { "svc-api-key": apiKey }), 200);
		assert.equal(await status(`?x-auth-token=${token}`), 200);
		assert.equal(await status(`?svc-api-key=${apiKey}`), 200);
		assert.equal(await status("", { cookie: `a=b; auth-token=${token}` }), 200);
		assert.deepEqual(fake.asked["authenticate"], { token, location: "header" });
		assert.equal(await status("?x-auth-token=wrong", { "x-auth-token": token }), 200);
		assert.equal(await status(`?x-auth-token=${token}`, { "x-auth-token": "wrong" }), 401);
		assert.equal(await status(`?svc-api-key=${apiKey}`, { "x-auth-token": token }), 401);
		const refused = await fetch(`${urls.api}/v1/user`, { headers: { "x-auth-token": token, "svc-api-key": apiKey } });
		assert.match(await faultOf(refused), /Unauthorized.*either a token or an API key/);
		assert.ok(!JSON.stringify(logger.lines).includes(token), "no credential in the log");
	}));

test("a token from header or query sets the cookie, an API key and the cookie itself do not", () =>
	withHttp(async ({ urls }) => {
		const cookie = async (headers: Record<string, string>) => (await fetch(`${urls.api}/v1/user`, { headers })).headers.get("set-cookie");
		assert.match(
			(await cookie({ "x-auth-token": token })) ?? "",
			/^auth-token=\w+; HttpOnly; Max-Age=3\d{3}; Path=\/; Secure; SameSite=Lax$/,
		);
		assert.equal(await cookie({ "svc-api-key": apiKey }), null);
		assert.equal(await cookie({ cookie: `auth-token=${token}` }), null);
	}));

test("every answer has the reason phrase of its status", () =>
	withHttp(async ({ urls }) => {
		const phraseOf = async (path: string, init: RequestInit = {}) => {
			const { status, statusText } = await fetch(urls.api + path, init);
			return `${status} ${statusText}`;
		};
		assert.equal(await phraseOf("/v1/user", { headers: { "x-auth-token": token } }), "200 OK");
		assert.equal(await phraseOf("/v1/user"), "401 Unauthorized");
		assert.equal(await phraseOf("/v1/nothing"), "404 Not Found");
		assert.equal(await phraseOf("/v1/actions", { method: "OPTIONS" }), "200 OK");
	}));

test("whoever asks for single sign-on is told that there is none", () =>
	withHttp(async ({ urls }) => {
		for (const path of ["/auth/v1/sso", "/sso"]) {
			const response = await fetch(urls.auth + path);
			assert.deepEqual([response.status, await response.json()], [200, { enabled: false }]);
		}
	}));

test("the address that web_url leads to is a page for whoever opens it, and what it was for programs", () =>
	withHttp(async ({ urls, ask }) => {
		const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
		const page = await fetch(`${urls.api}/`, { headers: browser });
		assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=UTF-8"]);
		assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
		assert.match(await page.text(), /svc execution get/);
		for (const [path, accept] of [
			["/", "*/*"],
			["/", "application/json"],
			["/v1", browser.accept],
			["/v1/user", browser.accept],
		] as const) {
			assert.equal((await fetch(urls.api + path, { headers: { accept } })).status, 401, `${path} ${accept}`);
		}
		assert.equal(((await (await ask("/")).json()) as { version: string }).version, "1.2.3");
	}));

test("docs_url leads to the page about the API, which may run and load nothing", () =>
	withHttp(async ({ ask }) => {
		const { docs_url } = (await (await ask("/v1/")).json()) as { docs_url: string };
		const page = await fetch(docs_url);
		assert.deepEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=UTF-8"]);
		const policy = page.headers.get("content-security-policy") ?? "";
		assert.match(policy, /^default-src 'none'/);
		assert.doesNotMatch(policy, /script-src|unsafe/);
		assert.doesNotMatch(await page.text(), /<script|<img|\son\w+=|src=/i);
	}));

test("the user and the index are shown", () =>
	withHttp(async ({ ask }) => {
		const user = (await (await ask("/v1/user")).json()) as { authentication: { token_expire: string } };
		assert.match(user.authentication.token_expire, /:\d\dZ$/);
		assert.deepEqual(
			{ ...user, authentication: null },
			{ username: "maria", authentication: null, rbac: { enabled: false, roles: [], is_admin: true } },
		);
		assert.equal(((await (await ask("/v1/")).json()) as { version: string }).version, "1.2.3");
	}));

test("a token is issued for basic credentials, and everything wrong with them is one 401", () =>
	withHttp(async ({ urls, fake }) => {
		const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
		const sign = (headers: Record<string, string>, body?: string) =>
			fetch(`${urls.auth}/auth/v1/tokens`, { method: "POST", headers: { ...json, ...headers }, ...(body !== undefined && { body }) });
		const issued = await sign(basic("maria:pass:word"), '{"ttl":60}');
		assert.equal(issued.status, 201);
		assert.equal(issued.headers.get("x-api-url"), urls.api);
		assert.match(issued.headers.get("set-cookie") ?? "", /^auth-token=\w+; HttpOnly; Max-Age=\d+; Path=\/; Secure; SameSite=Lax$/);
		assert.deepEqual(Object.keys((await issued.json()) as object), ["id", "user", "token", "expiry", "metadata", "service"]);
		assert.deepEqual(fake.asked["signIn"], { username: "maria", password: "pass:word", ttl: 60, remoteAddress: "127.0.0.1" });
		await sign({ ...basic("maria:pass:word"), "x-forwarded-for": "10.1.2.3, 10.0.0.1" });
		assert.equal((fake.asked["signIn"] as { remoteAddress: string }).remoteAddress, "127.0.0.1");
		for (const header of [
			undefined,
			"Basic !!",
			"Bearer abc",
			`Basic ${Buffer.from("nocolon").toString("base64")}`,
			basic("maria:").authorization,
		]) {
			const response = await sign(header === undefined ? {} : { authorization: header });
			assert.equal(response.status, 401, header);
			assert.equal(await faultOf(response), "Unauthorized - invalid or missing credentials");
		}
		assert.equal((await sign(basic("maria:wrong"))).status, 401);
		assert.equal((await sign({ authorization: "Basic a b" })).status, 400);
		for (const ttl of ["0", "-1", "1.5", '"x"']) {
			const response = await sign({}, `{"ttl":${ttl}}`);
			assert.equal(response.status, 400, ttl);
			assert.match(await faultOf(response), /^ttl: /);
		}
		assert.equal((await sign(basic("maria:pass:word"), '{"user":"root"}')).status, 400);
	}));

test("a token can be validated with a credential only", () =>
	withHttp(async ({ urls }) => {
		const validate = (headers: Record<string, string>, body: object) =>
			fetch(`${urls.auth}/v1/tokens/validate`, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });
		assert.equal((await validate({}, { token })).status, 401);
		assert.deepEqual(await (await validate({ "x-auth-token": token }, { token })).json(), { valid: true });
		assert.deepEqual(await (await validate({ "x-auth-token": token }, { token: "no" })).json(), { valid: false });
		assert.equal((await validate({ "x-auth-token": token }, {})).status, 400);
	}));

test("bad bodies are 400 and name the field", () =>
	withHttp(async ({ ask }) => {
		const cases: [string, RegExp][] = [
			["[1]", /^body: must be object/],
			['{"action":', /^Failed to parse request body/],
			['{"parameters":{}}', /^action: is a required property/],
			['{"action":7}', /^action: must be string/],
			['{"action":"core.local","parameters":"x"}', /^parameters: must be object/],
			['{"action":"core.local","delay":-1}', /^delay: /],
			[`{"action":"core.local","parameters":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, /nested deeper/],
			[`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, /nested deeper/],
		];
		for (const [body, message] of cases) {
			const response = await ask("/v1/executions", post(body));
			assert.equal(response.status, 400, body.slice(0, 60));
			assert.match(await faultOf(response), message);
		}
		const unsupported = await ask("/v1/executions", { method: "POST", headers: { "content-type": "image/png" }, body: "x" });
		assert.equal(unsupported.status, 400);
		assert.match(await faultOf(unsupported), /content type/);
	}));

test("a key named __proto__ is an ordinary key", () =>
	withHttp(async ({ ask, fake }) => {
		const response = await ask(
			"/v1/executions",
			post('{"action":"core.local","__proto__":{"user":"root"},"parameters":{"__proto__":{"x":1}}}'),
		);
		assert.equal(response.status, 201);
		const input = fake.asked["submit"] as { user?: string; parameters: object };
		assert.equal(input.user, undefined);
		assert.ok(Object.hasOwn(input.parameters, "__proto__"));
		assert.equal(({} as { x?: number }).x, undefined);
	}));

test("bodies above the limit are 413, announced or chunked, and the service lives on", () =>
	withHttp(async ({ ask, logger }) => {
		const big = "x".repeat(10_000_000);
		assert.equal((await ask("/v1/executions", post(big))).status, 413);
		for (let round = 0; round < 3; round += 1) {
			const body = new ReadableStream({
				start(controller) {
					for (let part = 0; part < 160; part += 1) controller.enqueue(new Uint8Array(65_536));
					controller.close();
				},
			});
			const response = await ask("/v1/executions", { method: "POST", headers: json, body, duplex: "half" } as RequestInit);
			assert.equal(response.status, 413);
			assert.match(await faultOf(response), /^body: must be at most 4194304 bytes/);
		}
		assert.equal((await ask("/v1/user")).status, 200);
		assert.equal(logger.lines.filter(({ level }) => level === "error").length, 0);
	}));

test("requests that are not quite HTTP neither end the service nor give 500", () =>
	withHttp(async ({ urls, ask }) => {
		const port = Number(new URL(urls.api).port);
		for (const line of [
			"GET http://[bad/ HTTP/1.1",
			"GET nonsense HTTP/1.1",
			"OPTIONS * HTTP/1.1",
			"GET /v1/user?%ff=%zz HTTP/1.1",
			"GET // HTTP/1.1",
		]) {
			for (const host of ["localhost", "[", "a b"]) {
				const answer = await send(port, `${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
				assert.match(answer, /^HTTP\/1\.1 [24]\d\d /, `${line} ${host}`);
			}
		}
		assert.equal((await ask("/v1/user")).status, 200);
	}));

test("a client that leaves in the middle of its request is no failure of the service", () =>
	withHttp(async ({ urls, logger, fake }) => {
		const port = Number(new URL(urls.api).port);
		const head = `POST /v1/executions HTTP/1.1\r\nHost: localhost\r\nX-Auth-Token: ${token}\r\n`;
		for (const rest of ['Content-Length: 100\r\n\r\n{"action":', "Transfer-Encoding: chunked\r\n\r\n5\r\n{    \r\n"]) {
			const lines = logger.lines.length;
			delete fake.asked["authenticate"];
			const socket = connect(port, "127.0.0.1", () => socket.write(head + rest));
			await until(() => "authenticate" in fake.asked);
			socket.destroy();
			await until(() => logger.lines.length > lines);
			assert.equal(logger.lines.at(-1)?.message, "request");
		}
	}));

function send(port: number, text: string): Promise<string> {
	return new Promise((resolve, reject) => {
		let answer = "";
		const socket = connect(port, "127.0.0.1", () => socket.write(text));
		socket.setEncoding("utf8");
		socket.on("data", (data) => (answer += data));
		socket.on("error", reject);
		socket.on("close", () => resolve(answer));
	});
}

test("errors of the engine get their status, and unknown ones are told to the log only", () =>
	withHttp(async ({ ask, fake, logger }) => {
		const fail = async (error: unknown) => {
			fake.failure = error;
			return ask("/v1/executions");
		};
		const unavailable = await fail(new SvcError("SVC_UNAVAILABLE", "the store cannot be reached"));
		assert.deepEqual([unavailable.status, unavailable.headers.get("retry-after")], [503, "1"]);
		const tooMany = toErrorReply(new SvcError("SVC_TOO_MANY", "too many attempts", { facts: { retry_after: 7.2 } }), logger, {});
		assert.deepEqual([tooMany.status, tooMany.headers["retry-after"]], [429, "8"]);
		assert.equal((await fail(new SvcError("SVC_FORBIDDEN", "no"))).status, 403);
		const unknown = await fail(new Error("inner detail"));
		assert.equal(unknown.status, 500);
		assert.deepEqual(await unknown.json(), { faultstring: "Internal Server Error" });
		assert.ok(logger.lines.some(({ level, fields }) => level === "error" && JSON.stringify(fields).includes("inner detail")));
		const conflict = await ask("/v1/actions", post({ name: "a", runner_type: "noop" }));
		assert.equal(conflict.status, 409);
		assert.equal(((await conflict.json()) as Record<string, unknown>)["conflict-id"], "66a1e0019d3e4b7a51c00010");
	}));

test("one line a request is logged, without the query", () =>
	withHttp(async ({ urls, logger }) => {
		await fetch(`${urls.api}/v1/user?svc-api-key=${apiKey}&x=1`, { headers: { "x-request-id": "r1" } });
		const lines = logger.lines.filter(({ message }) => message === "request");
		assert.equal(lines.length, 1);
		const { duration_ms, ...fields } = (lines[0]?.fields ?? {}) as Record<string, unknown>;
		assert.equal(typeof duration_ms, "number");
		assert.deepEqual(fields, { method: "GET", path: "/v1/user", request_id: "r1", status: 200 });
	}));

test("a route without a permission refuses to start", () => {
	const route = { method: "GET", path: "/x", component: "api", handler: () => ({ status: 200, headers: {}, body: null }) };
	assert.throws(
		() =>
			createApp("api", [route as never], {
				context: { guard: createGuard(toEngine(new FakeEngine())), options: createOptions() },
			} as never),
		/declares no known permission/,
	);
});

test("every route needs a credential except the one that issues tokens, health checks, the description of the API, and files of the web page and of the documentation", () =>
	withHttp(async ({ http, urls }) => {
		for (const route of http.routes) {
			if (route.permission === "public") {
				assert.match(
					`${route.method} ${route.path}`,
					/^(POST \/tokens|(GET|POST) \/sso(\/[\w/-]+)?|GET \/health\/(live|ready)|GET \/(docs|openapi\.json|web\/:file)|(GET|HEAD) \/docs\/\*\*:file)$/,
				);
				continue;
			}
			const listener = route.component;
			for (const path of toPaths(listener, route)) {
				const response = await fetch(urls[listener] + path.replaceAll(/:\w+/g, firstId), { method: route.method });
				assert.equal(response.status, 401, `${route.method} ${path}`);
				if (route.method !== "HEAD") assert.match(await faultOf(response), /Unauthorized/);
			}
		}
	}));

test("stop ends open streams, and a second stop does nothing", async () => {
	const fake = new FakeEngine();
	fake.stored.push(createExecution({ status: "running" }));
	const http = createServiceHttp({ engine: toEngine(fake), options: createOptions(), logger: createMemoryLogger() });
	const { stream } = await http.start();
	const response = await fetch(`${stream}/v1/executions/${firstId}/output`, { headers: { "x-auth-token": token } });
	const text = response.text();
	const started = performance.now();
	await http.stop();
	await http.stop();
	assert.equal(await text, ":\n\n");
	assert.equal(fake.ended, 1);
	assert.ok(performance.now() - started < 1_500);
});

test("a listener that is switched off has no address, and a taken port is an error that leaves nothing open", async () => {
	const options = createOptions({ auth: { listen: false } });
	const first = createServiceHttp({ engine: toEngine(new FakeEngine()), options, logger: createMemoryLogger() });
	const urls = await first.start();
	assert.deepEqual(Object.keys(urls).sort(), ["api", "stream"]);
	const taken = createOptions({ stream: { port: Number(new URL(urls.stream ?? "").port) } });
	const second = createServiceHttp({ engine: toEngine(new FakeEngine()), options: taken, logger: createMemoryLogger() });
	try {
		await assert.rejects(second.start());
	} finally {
		await second.stop();
		await first.stop();
	}
});

test("a request can be answered without a socket", async () => {
	const http = createServiceHttp({ engine: toEngine(new FakeEngine()), options: createOptions(), logger: createMemoryLogger() });
	const response = await http.fetch(new Request("http://local/v1/user", { headers: { "x-auth-token": token } }));
	assert.equal(response.status, 200);
});

test.run();
