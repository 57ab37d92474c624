// test-waits
import * as assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "uvu";
import { routes } from "../../plugins/_shipped/routes.ts";
import { type ServiceUnderTest, withService } from "../testing/http/service.test-support.ts";
import { BodyMemory } from "./body-memory.ts";

const kibibyte = 1_024;
const credentials = { authorization: `Basic ${Buffer.from("admin:a password").toString("base64")}` };

/** Sends a head and the beginning of a body on a connection that stays open. */
async function begin({ urls }: ServiceUnderTest, path: string, lines: readonly string[], bytes: number) {
	const { hostname, port } = new URL(urls.api);
	const socket = connect(Number(port), hostname);
	let text = "";
	const answered = new Promise<string>((resolve) => {
		socket.on("data", (data) => {
			text += data.toString("latin1");
			if (text.includes("faultstring")) resolve(text);
		});
		socket.on("close", () => resolve(text));
	});
	socket.on("error", () => {});
	const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
	await new Promise<void>((resolve) => {
		socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${lines.join("\r\n")}\r\n\r\n`);
		socket.write("x".repeat(bytes), () => resolve());
	});
	return { socket, answered, closed };
}

async function close(sockets: readonly Socket[]): Promise<void> {
	await Promise.all(
		sockets.map((socket) => {
			const closed = new Promise((resolve) => socket.once("close", resolve));
			socket.destroy();
			return closed;
		}),
	);
}

const publicRoutes = routes.filter(({ permission, body }) => permission === "public" && body !== undefined);
const prefixes = { auth: "/auth/v1", api: "/v1", stream: "/stream/v1" } as const;

test("one user may hold half of the memory for bodies, all together the whole of it", () => {
	const memory = new BodyMemory({ total: 100, largest: 10 });
	const full = { code: "SVC_UNAVAILABLE" };
	const ada = memory.allocate("ada");
	ada.add(40);
	assert.throws(() => memory.allocate("ada").add(11), full);
	const bob = memory.allocate("bob");
	bob.add(50);
	assert.throws(() => memory.allocate("eve").add(11), full);
	bob.release();
	bob.release();
	memory.allocate("ada").add(10);
	assert.equal(memory.usedBytes, 50);
});

test("one body of the largest size always fits", () => {
	const memory = new BodyMemory({ total: 100, largest: 1_000 });
	const held = memory.allocate("ada");
	held.add(1_000);
	held.release();
	assert.equal(memory.usedBytes, 0);
});

test("a route that needs no credential takes 16 KiB and no more, whether the length is announced or not", () =>
	withService(async ({ ask, urls }) => {
		assert.ok(publicRoutes.length >= 4);
		const send = (path: string, size: number, isChunked: boolean) => {
			const text = JSON.stringify({ ttl: 60, padding: "" });
			const body = text.replace('""', `"${"x".repeat(size - text.length)}"`);
			const given = isChunked ? (ReadableStream.from([Buffer.from(body)]) as unknown as ReadableStream<Uint8Array>) : body;
			const headers = { ...credentials, "content-type": "application/json" };
			return fetch(urls.api + path, { method: "POST", body: given, headers, duplex: "half" } as RequestInit);
		};
		for (const isChunked of [false, true]) {
			for (const { component, path } of publicRoutes) {
				const refused = await send(prefixes[component] + path, 16 * kibibyte + 1, isChunked);
				assert.equal(refused.status, 413, `${path} ${isChunked}`);
				assert.match(await refused.text(), /body: must be at most 16384 bytes/);
			}
			assert.equal((await send("/auth/v1/tokens", 16 * kibibyte, isChunked)).status, 201);
		}
		const lines = ["x".repeat(1_000 * kibibyte)];
		const large = await ask("/v1/executions", { method: "POST", body: JSON.stringify({ action: "default.speak", parameters: { lines } }) });
		assert.equal(large.status, 201);
	}));

test("an unfinished body of a route that needs no credential is cut", () =>
	withService(async (service) => {
		const heads = ["content-length: 1000", "transfer-encoding: chunked"];
		const begun = await Promise.all(heads.map((line) => begin(service, "/auth/v1/tokens", [line], 0)));
		for (const { answered, closed } of begun) {
			assert.match(await answered, /^HTTP\/1\.1 400 [^]*body: must arrive within 10 seconds/);
			await closed;
		}
	}));

test("unfinished bodies of one user take half of the memory for bodies, and give it back when they are gone", () =>
	withService(
		async (service) => {
			const { ask, token, urls } = service;
			const size = 400 * kibibyte;
			const lines = [`x-auth-token: ${token}`, `content-length: ${size}`];
			const create = (text: string) =>
				ask("/v1/executions", { method: "POST", body: JSON.stringify({ action: "default.speak", parameters: { lines: [text] } }) });
			const first = await begin(service, "/v1/executions", lines, size - 1);
			const second = await begin(service, "/v1/executions", lines, size - 1);
			assert.match(
				await Promise.race([first.answered, second.answered]),
				/^HTTP\/1\.1 503 [^]*retry-after: [^]*memory for request bodies/i,
			);
			const refused = await create("x".repeat(200 * kibibyte));
			assert.equal(refused.status, 503);
			const signIn = await fetch(`${urls.auth}/auth/v1/tokens`, { method: "POST", headers: credentials, body: "{}" });
			assert.equal(signIn.status, 201, "others are still answered");
			await close([first.socket, second.socket]);
			// The service hears of the end of a connection a little later than this side.
			let status = 0;
			while (status !== 201) status = (await create("x".repeat(200 * kibibyte))).status;
		},
		{ api: { max_body_size: 400 * kibibyte, max_total_body_size: 1_024 * kibibyte } },
	));

test.run();
