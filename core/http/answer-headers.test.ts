import * as assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "uvu";
import { apiKey, token } from "../testing/http/fake-engine.test-support.ts";
import { withHttp } from "../testing/http/http.test-support.ts";

/** Send text as it is; what comes back until the other side closes, or until headers and some more have come of an answer that goes on. */
function exchange(url: string, text: string): Promise<string> {
	const { hostname, port } = new URL(url);
	return new Promise((resolve) => {
		let answer = "";
		const socket = connect(Number(port), hostname, () => socket.write(text));
		socket.on("data", (bytes) => {
			answer += bytes.toString("latin1");
			if (/text\/event-stream[^]*\r\n\r\n/.test(answer)) socket.destroy();
		});
		socket.on("error", () => {}).on("close", () => resolve(answer));
	});
}

const head = (line: string, ...headers: readonly string[]) => [line, ...headers, "connection: close", "", ""].join("\r\n");
const isSafe = (answer: string) => /^x-content-type-options: nosniff\r$/im.test(answer);

test("no answer of any component lets a browser guess its type", () =>
	withHttp(async ({ urls }) => {
		const host = "host: a";
		const signedIn = `x-auth-token: ${token}`;
		for (const [status, text] of [
			[200, head("GET /v1/ HTTP/1.1", host, signedIn)],
			[200, head("GET /v1/actions HTTP/1.1", host, `svc-api-key: ${apiKey}`)],
			[200, head("GET /stream/v1/stream HTTP/1.1", host, signedIn)],
			[200, head("OPTIONS /v1/any HTTP/1.1", host)],
			[200, head("OPTIONS * HTTP/1.1", host)],
			[200, head("GET /health/live HTTP/1.1", host)],
			[401, head("GET /v1/actions HTTP/1.1", host)],
			[404, head("GET /v1/nothing HTTP/1.1", host)],
			[405, head("TRACE / HTTP/1.1", host)],
			[400, head("GET /% HTTP/1.1", host)],
			[400, head("BREW / HTTP/1.1", host)],
			[400, "nothing of the kind\r\n\r\n"],
			[400, head("GET /v1/ HTTP/1.1")],
			[417, head("GET /v1/ HTTP/1.1", host, "expect: miracles")],
			[431, head("GET /v1/ HTTP/1.1", host, `x: ${"x".repeat(100_000)}`)],
		] as const) {
			const answer = await exchange(urls.api, text);
			assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), `${status}: ${text.slice(0, 60)} ${answer.slice(0, 40)}`);
			assert.ok(isSafe(answer), text.slice(0, 60));
			assert.equal((answer.match(/x-content-type-options/gi) ?? []).length, 1);
		}
		assert.ok(isSafe(await exchange(urls.auth, head("POST /auth/v1/tokens HTTP/1.1", host))));
		assert.ok(isSafe(await exchange(urls.stream, head("GET /stream/v1/stream HTTP/1.1", host, signedIn))));
	}));

test("a request with two hosts, or with one that is none, is refused and its connection closed", () =>
	withHttp(async ({ urls, fake, http }) => {
		const signedIn = `x-auth-token: ${token}`;
		for (const hosts of [
			["host: a", "host: b"],
			["host: a", "Host: a"],
			["HOST: a", "x: y", "host: b"],
			["host: a, b"],
			["host: a/b"],
			["host: user@a"],
			["host: a b"],
			["host: a#b"],
		]) {
			const answer = await exchange(urls.api, ["GET /v1/user HTTP/1.1", ...hosts, signedIn, "", ""].join("\r\n"));
			assert.match(answer, /^HTTP\/1\.1 400 [^]*header Host: /, hosts.join());
		}
		assert.equal(fake.asked["authenticate"], undefined);
		for (const host of ["a", "a.example:9101", "[::1]:9101", "127.0.0.1", "my_host", ""]) {
			assert.match(await exchange(urls.api, head("GET /v1/user HTTP/1.1", `host: ${host}`, signedIn)), /^HTTP\/1\.1 200 /, host);
		}
		assert.match(await exchange(urls.api, head("GET /v1/user HTTP/1.0", signedIn)), /^HTTP\/1\.1 200 /);
		const mounted = await http.fetch(new Request("http://a/v1/user", { headers: { host: "a, b", "x-auth-token": token } }));
		assert.equal(mounted.status, 400);
		assert.equal(mounted.headers.get("x-content-type-options"), "nosniff");
	}));

test.run();
