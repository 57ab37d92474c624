// test-waits
import * as assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "uvu";
import type { JsonObject } from "../../core/contract/index.ts";
import { createRunContext, type TestRunContext } from "../../core/testing/run-context.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { type HttpRequestOptions, httpRequest } from "./index.ts";
import { answerJson, readAll, startServer } from "./servers.test-support.ts";

/** Answers with what it was asked, or with what the path says. */
const server = await startServer(async (request, answer) => {
	const url = new URL(request.url ?? "/", "http://server");
	const body = (await readAll(request)).toString("utf8");
	switch (url.pathname) {
		case "/status":
			return answerJson(answer, { asked: true }, Number(url.searchParams.get("code")));
		case "/raw": {
			const type = url.searchParams.get("type");
			answer.writeHead(200, type === null ? {} : { "content-type": type });
			return answer.end(Buffer.from(url.searchParams.get("hex") ?? "", "hex"));
		}
		case "/gzip":
			return answer.writeHead(200, { "content-encoding": "gzip", "content-type": "text/plain" }).end(gzipSync("x".repeat(5_000_000)));
		case "/slow":
			return void answer.writeHead(200).write("begun");
		case "/reset":
			answer.writeHead(200, { "content-length": "100" }).write("begun");
			return void setTimeout(() => answer.destroy(), 20);
		case "/repeated":
			return answer
				.writeHead(
					200,
					[
						["X-Mixed-Case", "a"],
						["x-mixed-case", "b"],
					].flat(),
				)
				.end();
		default:
			return answerJson(answer, { method: request.method, url: request.url, headers: request.headers, body });
	}
});

const succeeds = { runnerParameters: { url: server.url } };
testRunner({
	patience: 30_000,
	test,
	name: "http-request",
	create: () => httpRequest(),
	cases: {
		succeeds,
		fails: { runnerParameters: { url: `${server.url}/status?code=500` } },
		throws: { runnerParameters: { url: "http://127.0.0.1:1" } },
	},
});

interface Asked {
	readonly method: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

async function run(
	runnerParameters: JsonObject,
	actionParameters: JsonObject = {},
	options: HttpRequestOptions = {},
	watch?: (context: TestRunContext) => void,
) {
	const runner = httpRequest(options).create();
	await runner.start?.({} as never);
	try {
		const context = createRunContext(runner, { runnerParameters: { url: server.url, ...runnerParameters }, actionParameters });
		watch?.(context);
		return await runner.run(context);
	} finally {
		await runner.stop?.();
	}
}

const asked = async (...input: Parameters<typeof run>) => (await run(...input)).result["body"] as unknown as Asked;

test("the answer is the result, and JSON is parsed", async () => {
	const { succeeded, result } = await run({});
	assert.equal(succeeded, true);
	assert.equal(result["status_code"], 200);
	assert.equal(result["parsed"], true);
	assert.equal((result["headers"] as JsonObject)["content-type"], "application/json");
	const { method, headers } = result["body"] as unknown as Asked;
	assert.equal(method, "GET");
	assert.equal(headers["x-svc-action"], "tests.action");
	assert.equal(headers["user-agent"], "svc");
});

test("status 200 to 206 succeed, others fail with the whole answer", async () => {
	for (const [code, expected] of [
		[200, true],
		[206, true],
		[207, false],
		[302, false],
		[404, false],
		[500, false],
	] as const) {
		const { succeeded, result } = await run({ url: `${server.url}/status?code=${code}` });
		assert.equal(succeeded, expected, String(code));
		assert.equal(result["status_code"], code);
		assert.deepEqual(result["body"], { asked: true });
	}
});

test("a body makes it a POST and goes out as it is", async () => {
	const { method, body, headers } = await asked({}, { body: "grün" });
	assert.equal(method, "POST");
	assert.equal(body, "grün");
	assert.equal(headers["content-length"], "5");
	assert.equal((await asked({}, { body: "x", method: "PUT" })).method, "PUT");
	for (const method of ["DELETE", "OPTIONS", "TRACE", "PATCH", "PURGE"]) assert.equal((await asked({}, { method })).method, method);
	const head = await run({}, { method: "HEAD" });
	assert.deepEqual([head.succeeded, head.result["body"]], [true, ""]);
});

test("a text for application/json may be JSON or a Python literal, and nothing else", async () => {
	const headers = { "Content-Type": "application/json" };
	assert.equal((await asked({ headers }, { body: '{"a": 1}' })).body, '{"a":1}');
	assert.equal(
		(await asked({ headers }, { body: "{'a': [True, None, 'it\\'s', -1.5], \"b\": (1,)}" })).body,
		'{"a":[true,null,"it\'s",-1.5],"b":[1]}',
	);
	await assert.rejects(run({ headers }, { body: "{'a': open('x')}" }), /body: is not valid JSON/);
	assert.equal((await asked({ headers: { "content-type": "application/json; charset=utf-8" } }, { body: "{'a'}" })).body, "{'a'}");
	assert.equal((await asked({}, { body: { a: 1 } })).headers["content-type"], "application/json");
});

test("parameters, headers, cookies and credentials are sent", async () => {
	const sent = await asked(
		{
			url: `${server.url}/path?a=1`,
			headers: { "X-Number": 5, "Content-Length": "999", "X-None": null },
			cookies: { session: "abc", b: 1 },
			username: "ann",
			password: "pw:1",
		},
		{ params: { q: "a b&c", list: [1, 2], none: null } },
	);
	assert.equal(sent.url, "/path?a=1&q=a+b%26c&list=1&list=2");
	assert.equal(sent.headers["x-number"], "5");
	assert.equal(sent.headers["cookie"], "session=abc; b=1");
	assert.equal(sent.headers["x-none"], undefined);
	assert.equal(sent.headers["authorization"], `Basic ${btoa("ann:pw:1")}`);
	assert.equal((await asked({}, { auth: { username: "bob", password: "x" } })).headers["authorization"], `Basic ${btoa("bob:x")}`);
	assert.equal((await asked({}, { auth: { token: "t" } })).headers["authorization"], "Bearer t");
	const withUser = await asked({ url: server.url.replace("//", "//carl:s%40@") });
	assert.equal(withUser.headers["authorization"], `Basic ${btoa("carl:s@")}`);
	await assert.rejects(run({ cookies: { a: "1; b=2" } }), /cookies: name or value of "a"/);
	await assert.rejects(run({ headers: { "X-A": "1\r\nX-B: 2" } }), /invalid/);
});

test("bodies that are no JSON stay text, and bytes that are no text become base64", async () => {
	const raw = async (hex: string, type?: string) => {
		const { result } = await run({ url: `${server.url}/raw?hex=${hex}${type === undefined ? "" : `&type=${encodeURIComponent(type)}`}` });
		const { status_code: _status, headers: _headers, ...body } = result;
		return body;
	};
	assert.deepEqual(await raw("7b7d", "application/json; charset=utf-8"), { body: {}, parsed: true });
	assert.deepEqual(await raw("7b7d", "text/plain"), { body: "{}", parsed: false });
	assert.deepEqual(await raw("7b", "application/json"), { body: "{", parsed: false });
	assert.deepEqual(await raw("fc", "text/plain; charset=iso-8859-1"), { body: "ü", parsed: false });
	assert.deepEqual(await raw("fc", "text/plain"), { body: "ü", parsed: false });
	assert.deepEqual(await raw("fffe00", "image/png"), { body: "//4A", parsed: false, body_encoding: "base64" });
	assert.deepEqual(await raw("61", "text/plain; charset=nothing"), { body: "a", parsed: false });
	assert.deepEqual(await raw(""), { body: "", parsed: false });
});

test("JSON that is nested too deeply to be recorded stays the text it came as", async () => {
	const answer = async (text: string) =>
		(await run({ url: `${server.url}/raw?type=${encodeURIComponent("application/json")}&hex=${Buffer.from(text).toString("hex")}` }))
			.result;
	const list = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
	for (const depth of [150, 2_000]) {
		const { body, parsed } = await answer(list(depth));
		assert.deepEqual([body, parsed], [list(depth), false]);
	}
	assert.equal((await answer(list(50)))["parsed"], true);
});

test("a large body is cut and says so, also one that is large once unpacked", async () => {
	const { succeeded, result } = await run({ url: `${server.url}/gzip` });
	assert.equal(succeeded, true);
	assert.equal((result["body"] as string).length, 1_048_576);
	assert.equal(result["truncated"], true);
	const { result: short } = await run({ url: `${server.url}/raw?hex=61c3bc62` }, {}, { max_response_body: 2 });
	assert.deepEqual([short["body"], short["truncated"]], ["a", true]);
	const { result: whole } = await run({ url: `${server.url}/raw?hex=61c3bc62` }, {}, { max_response_body: 4 });
	assert.deepEqual([whole["body"], whole["truncated"]], ["aüb", undefined]);
});

test("an answer that takes too long is a time-out", async () => {
	const { succeeded, status, result } = await run({ url: `${server.url}/slow` }, { timeout: 0.1 });
	assert.deepEqual(
		{ succeeded, status, result },
		{ succeeded: false, status: "timeout", result: { error: "the request did not complete within 0.1 seconds" } },
	);
});

test("a cancel ends the request", async () => {
	const { succeeded } = await run({ url: `${server.url}/slow` }, { timeout: 60 }, {}, (context) =>
		setTimeout(() => context.abort("cancel"), 50),
	);
	assert.equal(succeeded, false);
});

test("what goes wrong on the way names the host and no secret", async () => {
	const secret = "do-not-show";
	const parameters = { username: "ann", password: secret, headers: { "X-Auth-Token": secret } };
	for (const url of [`${server.url}/reset?key=${secret}`, `http://u:${secret}@127.0.0.1:1/`, `http://does-not-exist.invalid/${secret}`]) {
		await assert.rejects(run({ ...parameters, url }), (error: Error) => {
			assert.match(error.message, /^request to http:\/\/[\w.:-]+ failed: .+/);
			assert.ok(!`${error.stack}`.includes(secret), error.stack ?? "");
			return true;
		});
	}
	await assert.rejects(run({ url: `ftp://${secret}` }), /^SvcError: url: must be a URL that begins with http/);
});

test("repeated headers are one value under the name that came first", async () => {
	const { result } = await run({ url: `${server.url}/repeated` });
	assert.equal((result["headers"] as JsonObject)["X-Mixed-Case"], "a, b");
});

test.after(() => server.stop());

test.run();
