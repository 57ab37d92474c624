import * as assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "uvu";
import { createClient, resolveAddresses } from "../../plugins/_shipped/client.ts";
import { isSvcError } from "../contract/index.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function withServer<T>(handler: Handler, use: (apiUrl: string) => Promise<T>): Promise<T> {
	const server = createServer(handler);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	try {
		return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	} finally {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}
}

function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
	response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

const chunk = (sequence: number, data: string) =>
	`event: svc.execution.output__create\nid: ${sequence}\ndata: ${JSON.stringify({ id: String(sequence), output_type: "stdout", data })}\n\n`;
const eof = "event: EOF\ndata:\n\n";

test("one address of the API is enough to find the others", () => {
	assert.deepEqual(resolveAddresses({}), {
		apiUrl: "http://127.0.0.1:9101/v1",
		authUrl: "http://127.0.0.1:9101/auth/v1",
		streamUrl: "http://127.0.0.1:9101/stream/v1",
	});
	assert.equal(resolveAddresses({ apiUrl: "https://svc.example.org/api/v1/" }).authUrl, "https://svc.example.org/auth/v1");
	assert.equal(resolveAddresses({ authUrl: "http://127.0.0.1:9100" }).authUrl, "http://127.0.0.1:9100/v1");
});

test("errors carry the code of their status and the service's own words", async () => {
	const statuses = {
		400: "SVC_INVALID",
		401: "SVC_UNAUTHORIZED",
		403: "SVC_FORBIDDEN",
		404: "SVC_NOT_FOUND",
		409: "SVC_CONFLICT",
		500: "SVC_UNAVAILABLE",
	};
	for (const [status, code] of Object.entries(statuses)) {
		await withServer(
			(_request, response) => answer(response, Number(status), { faultstring: `words for ${status}` }),
			(apiUrl) => assert.rejects(createClient({ apiUrl }).executions.get("x"), { name: "SvcError", code, message: `words for ${status}` }),
		);
	}
});

test("a service that cannot be reached is named by its address", async () => {
	const apiUrl = await withServer(
		() => undefined,
		async (url) => url,
	);
	await assert.rejects(createClient({ apiUrl }).user(), (error) => isSvcError(error, "SVC_UNAVAILABLE") && error.message.includes(apiUrl));
});

test("an answer that is not JSON is not taken for a record", async () => {
	await withServer(
		(_request, response) => response.end("<html>hello</html>"),
		(apiUrl) =>
			assert.rejects(createClient({ apiUrl }).user(), {
				code: "SVC_UNAVAILABLE",
				message: /is not JSON: is this the address of the service/,
			}),
	);
});

test("a refused cancel is told apart from an accepted one", async () => {
	const handler: Handler = (request, response) =>
		answer(response, 200, request.url?.endsWith("/done") ? { faultstring: "too late" } : { id: "x" });
	await withServer(handler, async (apiUrl) => {
		const { executions } = createClient({ apiUrl });
		assert.deepEqual(await executions.cancel("done"), { refused: "too late" });
		assert.deepEqual(await executions.cancel("x"), {});
	});
});

test("lists give their total and send only filters that are set", async () => {
	const handler: Handler = (request, response) => answer(response, 200, [{ url: request.url }], { "x-total-count": "7", "x-limit": "1" });
	await withServer(handler, async (apiUrl) => {
		const page = await createClient({ apiUrl }).executions.list({ limit: 1, status: undefined, action: "core.local" });
		assert.deepEqual(page, { items: [{ url: "/v1/executions?limit=1&action=core.local" }], total: 7, limit: 1 });
	});
});

test("following goes on behind the last chunk after a lost connection", async () => {
	const seen: (string | undefined)[] = [];
	const handler: Handler = (request, response) => {
		const after = request.headers["last-event-id"];
		seen.push(after === undefined ? undefined : String(after));
		response.writeHead(200, { "content-type": "text/event-stream" });
		if (seen.length === 1) response.write(`\n${chunk(1, "a\n")}${chunk(2, "ü\n")}`, () => response.destroy());
		else if (seen.length === 2) response.end(":\n\n");
		else response.end(chunk(3, "c\n") + eof);
	};
	await withServer(handler, async (apiUrl) => {
		const data: string[] = [];
		let reconnects = 0;
		for await (const each of createClient({ apiUrl }).followOutput("x", { onReconnect: () => (reconnects += 1) })) data.push(each.data);
		assert.deepEqual(data, ["a\n", "ü\n", "c\n"]);
		assert.deepEqual(seen, [undefined, "2", "2"]);
		assert.equal(reconnects, 2);
	});
});

test("an event cut anywhere between two pieces is read whole", async () => {
	const bytes = Buffer.from(`: hello\r\n${chunk(1, "größe\n")}${chunk(2, "2")}${eof}`);
	for (let cut = 1; cut < bytes.length; cut += 7) {
		const handler: Handler = (_request, response) => {
			response.write(bytes.subarray(0, cut));
			setImmediate(() => response.end(bytes.subarray(cut)));
		};
		await withServer(handler, async (apiUrl) => {
			const data: string[] = [];
			for await (const each of createClient({ apiUrl }).followOutput("x")) data.push(each.data);
			assert.deepEqual(data, ["größe\n", "2"]);
		});
	}
});

test("following an execution that does not exist is an error at once", async () => {
	await withServer(
		(_request, response) => answer(response, 404, { faultstring: "no such execution" }),
		(apiUrl) => assert.rejects(createClient({ apiUrl }).followOutput("x")[Symbol.asyncIterator]().next(), { code: "SVC_NOT_FOUND" }),
	);
});

test("an abort ends following without an error and closes the connection", async () => {
	const leave = new AbortController();
	let closed: Promise<unknown> = Promise.resolve();
	const handler: Handler = (_request, response) => {
		closed = new Promise((resolve) => response.on("close", resolve));
		response.write(chunk(1, "a"));
	};
	await withServer(handler, async (apiUrl) => {
		for await (const _each of createClient({ apiUrl }).followOutput("x", { signal: leave.signal })) leave.abort();
		await closed;
	});
});

test.run();
