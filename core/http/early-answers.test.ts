import * as assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "uvu";
import { type ServiceUnderTest, withService } from "../testing/http/service.test-support.ts";

const megabyte = Buffer.alloc(1024 * 1024, 0x61);

/** Sends everything before it reads anything, as many HTTP clients do, and returns what came back until the other side closed. */
async function writeThenRead({ urls }: ServiceUnderTest, head: readonly string[], body: readonly Uint8Array[]): Promise<string> {
	const { hostname, port } = new URL(urls.api);
	const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).pause();
	const broken = new Promise<never>((_resolve, reject) => socket.once("error", reject));
	const write = (bytes: Uint8Array | string) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
	const exchange = async () => {
		await write([...head, "", ""].join("\r\n"));
		for (const bytes of body) await write(bytes);
		let text = "";
		for await (const bytes of socket) text += String(bytes);
		return text;
	};
	try {
		return await Promise.race([exchange(), broken]);
	} finally {
		socket.destroy();
	}
}

const chunked = (bytes: Uint8Array) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

test("clients that send all before they read get an early answer, although they ask to close the connection", () =>
	withService(async (service) => {
		const head = (path: string, ...lines: readonly string[]) => [`POST ${path} HTTP/1.1`, "host: x", "connection: close", ...lines];
		const token = `x-auth-token: ${service.token}`;
		const pieces = Array.from({ length: 20 }, () => megabyte);
		const length = `content-length: ${20 * megabyte.length}`;
		const chunks = [...pieces.map(chunked), Buffer.from("0\r\n\r\n")];
		const problems: string[] = [];
		for (const [status, lines, body] of [
			[413, head("/v1/executions", token, length), pieces],
			[413, head("/v1/webhooks/svc", token, "transfer-encoding: chunked"), chunks],
			[401, head("/v1/executions", length), pieces],
			[401, head("/v1/executions", "transfer-encoding: chunked"), chunks],
			[404, head("/v1/nothing", length), pieces],
			[405, head("/v1/user", token, length), pieces],
			[400, ["POST /v1/executions HTTP/1.1", "host: a b", "connection: close", length], pieces],
			[417, head("/v1/executions", length, "expect: nonsense"), pieces],
			[431, head("/v1/executions", token, length, `x-a: ${"a".repeat(40_000)}`), pieces],
			[400, [...head("/v1/executions", token, length), "a bad line"], pieces],
		] as const) {
			const text = await writeThenRead(service, lines, body).catch((error: unknown) => String(error));
			if (!new RegExp(`^HTTP/1\\.1 ${status} [^]*"faultstring":"`).test(text))
				problems.push(`${lines.join("; ").slice(0, 200)}: ${text.slice(0, 200)}`);
		}
		assert.deepEqual(problems, []);
	}));

test("a connection that stays open serves the next request after an early answer", () =>
	withService(async (service) => {
		const body = Array.from({ length: 8 }, () => megabyte);
		const lines = ["POST /v1/executions HTTP/1.1", "host: x", `content-length: ${8 * megabyte.length}`];
		const next = Buffer.from(`GET /v1/user HTTP/1.1\r\nhost: x\r\nx-auth-token: ${service.token}\r\nconnection: close\r\n\r\n`);
		const text = await writeThenRead(service, lines, [...body, next]);
		assert.deepEqual(
			[...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
			["401", "200"],
		);
	}));

test("no more than a bounded part of an endless body is read after the answer", () =>
	withService(async (service) => {
		const lines = ["POST /v1/executions HTTP/1.1", "host: x", "transfer-encoding: chunked"];
		const body = Array.from({ length: 200 }, () => chunked(megabyte));
		await assert.rejects(writeThenRead(service, lines, body), /EPIPE|ECONNRESET/);
	}));

test.run();
