import type { IncomingMessage } from "node:http";
import { isSvcError, SvcError } from "../contract/index.ts";
import type { ServerRequest } from "./server-request.ts";

/** What a host is told that parses bodies itself. */
export const alreadyRead = "body: it was read before the service got the request; mount the service in front of whatever parses bodies";

const drainLimit = 64 * 1024 * 1024;

/** Text of a request's body. Throws `SVC_TOO_LARGE` above `limit` bytes, announced or not. */
export async function readText(request: Request, limit: number): Promise<string> {
	return read(request, limit, {
		whole: () => request.text(),
		chunked: async (body) => (await readChunked(body, limit)).toString("utf8"),
		none: "",
	});
}

/** Bytes of a request's body, as they came; as `readText` otherwise. */
export async function readBytes(request: ServerRequest, limit: number): Promise<Uint8Array> {
	const source = request.runtime?.node?.req;
	return read(request, limit, {
		// `arrayBuffer()` would make a second request with a stream of its own, which costs more than all the rest of a short request.
		whole: async () => (source === undefined ? Buffer.from(await request.arrayBuffer()) : readWhole(source as IncomingMessage)),
		chunked: (body) => readChunked(body, limit),
		none: Buffer.alloc(0),
	});
}

async function read<T>(
	request: Request,
	limit: number,
	ways: { readonly whole: () => Promise<T>; readonly chunked: (body: ReadableStream<Uint8Array>) => Promise<T>; readonly none: T },
): Promise<T> {
	const announced = request.headers.get("content-length");
	if (Number(announced) > limit) throw tooLarge(limit, `got ${announced}`);
	try {
		if (announced !== null) return await ways.whole();
		return request.body === null ? ways.none : await ways.chunked(request.body);
	} catch (cause) {
		if (isSvcError(cause)) throw cause;
		throw new SvcError("SVC_INVALID", "Failed to parse request body: the connection ended before it was complete", { cause });
	}
}

function readWhole(source: IncomingMessage): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		const end = () => (source.complete ? resolve(Buffer.concat(chunks)) : reject(new Error("the connection was closed")));
		// What is closed already tells nobody any more.
		if (source.destroyed) end();
		else
			source
				.on("data", (chunk: Buffer) => chunks.push(chunk))
				.once("end", end)
				.once("error", reject)
				.once("close", end);
	});
}

async function readChunked(body: ReadableStream<Uint8Array>, limit: number): Promise<Buffer> {
	const reader = body.getReader();
	const chunks: Uint8Array[] = [];
	let size = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return Buffer.concat(chunks);
		size += value.byteLength;
		if (size > limit) {
			void drain(reader);
			throw tooLarge(limit, `got ${size} and more`);
		}
		chunks.push(value);
	}
}

/** Clients that write before they read would see a reset instead of the answer, so the rest is thrown away for a while. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
	let size = 0;
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			size += value.byteLength;
			if (size > drainLimit) return await reader.cancel();
		}
	} catch {
		// The client has gone: nothing is left to throw away.
	}
}

function tooLarge(limit: number, got: string): SvcError {
	return new SvcError("SVC_TOO_LARGE", `body: must be at most ${limit} bytes, ${got}`);
}
