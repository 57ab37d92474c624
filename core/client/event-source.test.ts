import * as assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "uvu";
import { openEvents, readEvents } from "./api-client.ts";

test("events are read however their lines end and wherever the body is cut", async () => {
	const text = ": hello\r\n\r\nid: 1\revent: note\rdata: a\rdata:  b\r\rdata: ✓\n\n:\nunknown: x\nevent: EOF\nid: 2\ndata:\n\ndata: half";
	const bytes = new TextEncoder().encode(text);
	for (const length of [1, 2, 7, bytes.length]) {
		const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
			bytes.slice(index * length, (index + 1) * length),
		);
		const read = [];
		let active = 0;
		const options = { onActivity: () => void (active += 1), signal: new AbortController().signal };
		for await (const event of readEvents(ReadableStream.from(pieces) as ReadableStream<Uint8Array>, options)) read.push(event);
		assert.deepEqual(read, [
			{ name: "note", data: "a\n b", id: "1" },
			{ name: "message", data: "✓", id: "1" },
			{ name: "EOF", data: "", id: "2" },
		]);
		assert.equal(active, pieces.length);
	}
});

test("a reader that leaves at any moment gets away, at the very end too", async () => {
	const server = createServer((_request, response) => {
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.write("event: first\ndata: 1\n\n");
		setTimeout(() => response.end("event: second\ndata: 2\n\nevent: EOF\ndata:\n\n"), 2);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const readAndLeave = async (after: number) => {
		const leaving = new AbortController();
		let seen = 0;
		try {
			for await (const _event of openEvents(url, { signal: leaving.signal })) {
				seen += 1;
				if (seen === after) leaving.abort();
			}
		} catch {
			assert.ok(leaving.signal.aborted);
		}
	};
	try {
		for (let round = 0; round < 30; round += 1) {
			let timer: NodeJS.Timeout | undefined;
			const late = new Promise((_resolve, reject) => {
				timer = setTimeout(reject, 2_000, new Error(`the reader hangs after event ${1 + (round % 3)}`));
			});
			await Promise.race([readAndLeave(1 + (round % 3)), late]);
			clearTimeout(timer);
		}
	} finally {
		server.closeAllConnections();
		server.close();
	}
});

test.run();
