import * as assert from "node:assert/strict";
import diagnostics from "node:diagnostics_channel";
import { once } from "node:events";
import type { Server } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "uvu";
import { type ServiceUnderTest, withService } from "../testing/http/service.test-support.ts";

const megabyte = Buffer.alloc(1024 * 1024, 0x61);
const chunk = Buffer.concat([Buffer.from(`${megabyte.length.toString(16)}\r\n`), megabyte, Buffer.from("\r\n")]);

/** Send bytes as they are; what came back until the other side closed. */
async function exchange({ urls }: ServiceUnderTest, send: (socket: Socket) => Promise<void> | void): Promise<string> {
	const { hostname, port } = new URL(urls.api);
	const socket = connect(Number(port), hostname);
	let text = "";
	socket.on("data", (bytes) => (text += bytes.toString("latin1")));
	const closed = new Promise((resolve) => socket.on("error", () => {}).on("close", resolve));
	try {
		await send(socket);
		await closed;
	} finally {
		socket.destroy();
	}
	return text;
}

async function write(socket: Socket, bytes: Uint8Array): Promise<void> {
	if (socket.destroyed || socket.write(bytes)) return;
	await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
}

async function assertAlive({ ask, log }: ServiceUnderTest): Promise<void> {
	assert.equal((await ask("/v1/user")).status, 200);
	const errors = log.filter((line) => line.includes('"level":"error"'));
	assert.deepEqual(errors, []);
}

const head = ({ token }: ServiceUnderTest, ...lines: readonly string[]) =>
	["POST /v1/executions HTTP/1.1", "host: x", `x-auth-token: ${token}`, "content-type: application/json", ...lines, "", ""].join("\r\n");

test("a chunked body far beyond the limit ends with 413 or a closed connection, never the process", () =>
	withService(async (service) => {
		const text = await exchange(service, async (socket) => {
			socket.write(head(service, "transfer-encoding: chunked", "connection: close"));
			// More than is thrown away for the sake of slow readers, so that the body is given up in the middle.
			for (let sent = 0; sent < 100 && !socket.destroyed; sent += 1) await write(socket, chunk);
			socket.end("0\r\n\r\n");
		});
		// Closing while more is on its way resets the connection, which can take the answer with it.
		if (text !== "") assert.match(text, /^HTTP\/1\.1 413 [^]*body: must be at most/);
		await assertAlive(service);
	}));

test("a chunked body that is given up behind a stream that is still open does not end the process", () =>
	withService(async (service) => {
		const { hostname, port } = new URL(service.urls.api);
		const socket = connect(Number(port), hostname).on("error", () => {});
		socket.write(`GET /stream/v1/stream HTTP/1.1\r\nhost: x\r\nx-auth-token: ${service.token}\r\n\r\n`);
		socket.write(head(service, "transfer-encoding: chunked"));
		try {
			// Once the body is given up nothing is read any more, so that the wait for room ends this.
			for (;;) if (!socket.write(chunk)) await once(socket, "drain", { signal: AbortSignal.timeout(500) });
		} catch {
			socket.destroy();
		}
		await assertAlive(service);
	}));

test("a client that leaves in the middle of a body does no harm", () =>
	withService(async (service) => {
		// The second reads bytes, the first text.
		for (const path of ["/v1/executions", "/v1/webhooks/svc"]) {
			for (const lines of [["content-length: 100"], ["transfer-encoding: chunked"]]) {
				for (const rest of ["", '{"action"', "5\r\nabcde\r\n"]) {
					await exchange(service, (socket) => {
						socket.write(head(service, ...lines).replace("/v1/executions", path) + rest, () => socket.destroy());
					});
				}
			}
		}
		await assertAlive(service);
	}));

const malformed: readonly (readonly [name: string, text: string])[] = [
	["half a request line", "GET /v1/us"],
	["half a header", "GET /v1/user HTTP/1.1\r\nhost: x\r\nx-auth"],
	["no request", "\r\n\r\n\r\n"],
	["garbage", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
	["an unknown method", "BREW /v1/user HTTP/1.1\r\nhost: x\r\n\r\n"],
	["an unknown version", "GET /v1/user HTTP/9.9\r\nhost: x\r\n\r\n"],
	["no host", "GET /v1/user HTTP/1.1\r\n\r\n"],
	["an absolute address", "GET http://other/v1/user HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"],
	["an address of nothing", "GET * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"],
	["a host that is none", "GET /v1/user HTTP/1.1\r\nhost: [::\r\nconnection: close\r\n\r\n"],
	["a negative length", "POST /v1/executions HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n"],
	["two lengths", "POST /v1/executions HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
	["length and chunks", "POST /v1/executions HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
	["chunks that are none", "POST /v1/executions HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n"],
	["a header with a bare line feed", "GET /v1/user HTTP/1.1\nhost: x\nx-a: b\n\n"],
	["a NUL in a header", "GET /v1/user HTTP/1.1\r\nhost: x\r\nx-a: \0\r\n\r\n"],
	["headers beyond the limit", `GET /v1/user HTTP/1.1\r\nhost: x\r\nx-a: ${"a".repeat(40_000)}\r\n\r\n`],
	["an address beyond the limit", `GET /v1/${"a".repeat(40_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
	["an upgrade", "GET /v1/user HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"],
	["an expectation", "POST /v1/executions HTTP/1.1\r\nhost: x\r\nexpect: nonsense\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"],
	["a tunnel", "CONNECT other:80 HTTP/1.1\r\nhost: x\r\n\r\n"],
	["a request and then garbage", "GET /v1/user HTTP/1.1\r\nhost: x\r\n\r\n\0\0nonsense\r\n\r\n"],
];

/** Node answers these by itself, without a body. */
const answeredByNode = ["no host", "an expectation"];

test("bytes that are no request are refused with a faultstring or a closed connection", () =>
	withService(async (service) => {
		for (const [name, text] of malformed) {
			const answer = await exchange(service, (socket) => {
				socket.end(Buffer.from(text, "latin1"));
			});
			for (const status of answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)) assert.match(status[1] ?? "", /^4/, `${name}: ${answer}`);
			if (/^HTTP\/1\.1 /.test(answer) && !answeredByNode.includes(name)) assert.match(answer, /"faultstring":"[^"]+/, name);
		}
		await assertAlive(service);
	}));

test("what a client sends cannot add headers or answers", () =>
	withService(async (service) => {
		const injected = encodeURIComponent("a\r\nx-injected: 1\r\n\r\nHTTP/1.1 200 OK");
		for (const path of [`/v1/executions/${injected}`, `/v1/executions/last/result?download=${injected}`, `/${injected}`]) {
			const response = await service.ask(path, { headers: { "x-request-id": "a b", origin: "http://evil" } });
			assert.equal(response.headers.get("x-injected"), null);
			assert.notEqual(response.headers.get("x-request-id"), "a b");
		}
		const pair = `GET /v1/user HTTP/1.1\r\nhost: x\r\nx-auth-token: ${service.token}\r\n\r\n`;
		const answers = await exchange(service, (socket) => {
			socket.end(pair + pair);
		});
		assert.equal([...answers.matchAll(/HTTP\/1\.1 200/g)].length, 2);
	}));

test("headers and bodies that never come are waited for no longer than a limit", async () => {
	const servers: Server[] = [];
	const listener = (message: unknown) => void servers.push((message as { server: Server }).server);
	diagnostics.subscribe("http.server.request.start", listener);
	try {
		await withService(async ({ ask }) => void (await ask("/v1/user")));
	} finally {
		diagnostics.unsubscribe("http.server.request.start", listener);
	}
	assert.ok(servers.length > 0);
	for (const { headersTimeout, requestTimeout } of servers) {
		assert.ok(headersTimeout > 0 && headersTimeout <= 60_000);
		assert.ok(requestTimeout > 0 && requestTimeout <= 300_000);
	}
});

test.run();
