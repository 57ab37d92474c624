import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { isSvcError, SvcError } from "../contract/index.ts";
import type { BodyAllocation } from "./body-memory.ts";
import type { ServerRequest } from "./server-request.ts";

/** Error message for an embedding program that has already read the body. */
export const bodyAlreadyReadMessage =
	"body: already consumed before the request reached the service; mount the service before any middleware that parses bodies";

/** Maximum number of bytes of a refused body that are read and discarded. */
const maxDrainBytes = 64 * 1024 * 1024;

/** Limits for reading the body of a request. */
export interface BodyReadOptions {
	/** Maximum number of bytes, both before and after decoding. */
	readonly maxBytes: number;
	/** Milliseconds within which the body must arrive. Undefined: only the request timeout of the listener applies. */
	readonly timeoutMs?: number | undefined;
	/** Counts the bytes of the body that are in memory. */
	readonly allocation: BodyAllocation;
}

/**
 * Returns the bytes of a request's body, decoded from its content coding.
 *
 * Throws `SVC_TOO_LARGE` if the body exceeds the limit before or after decoding, whether its length was announced or not. Throws
 * `SVC_INVALID` if it does not arrive in time; the connection is then closed after the response. Throws `SVC_INVALID` also for an
 * incomplete body. Throws `SVC_UNAVAILABLE` if no memory for bodies is available, and the errors of `decodeContent`.
 */
export async function readBytes(request: ServerRequest, bounds: BodyReadOptions): Promise<Buffer> {
	const announcedLength = request.headers.get("content-length");
	if (Number(announcedLength) > bounds.maxBytes) throw tooLarge(bounds.maxBytes, `got ${announcedLength}`);
	const bytes = await readAll(request, bounds);
	const coding = request.headers.get("content-encoding");
	if (coding === null) return bytes;
	const decoded = await decodeContent(bytes, coding, bounds.maxBytes);
	// The encoded bytes can be garbage-collected now, so only the difference is counted.
	bounds.allocation.add(Math.max(0, decoded.byteLength - bytes.byteLength));
	return decoded;
}

async function readAll(request: ServerRequest, bounds: BodyReadOptions): Promise<Buffer> {
	const { timeoutMs } = bounds;
	const deadline = timeoutMs === undefined ? undefined : startDeadline(request, timeoutMs);
	try {
		const source = request.runtime?.node?.req as IncomingMessage | undefined;
		// Creating a web stream for each request would take longer than the rest of a short request.
		if (source !== undefined) return await readSource(source, bounds, deadline?.signal);
		return request.body === null ? Buffer.alloc(0) : await readStream(request.body, bounds, deadline?.signal);
	} catch (cause) {
		if (isSvcError(cause)) throw cause;
		throw new SvcError("SVC_INVALID", "Failed to parse request body: the connection ended before it was complete", { cause });
	} finally {
		deadline?.end();
	}
}

interface Deadline {
	/** Aborts when the deadline has passed. The abort reason is the error to answer with. */
	readonly signal: AbortSignal;
	end(): void;
}

function startDeadline(request: ServerRequest, timeoutMs: number): Deadline {
	const controller = new AbortController();
	const timer = setTimeout(() => {
		const response = request.runtime?.node?.res as ServerResponse | undefined;
		if (response !== undefined) response.shouldKeepAlive = false;
		controller.abort(new SvcError("SVC_INVALID", `body: must arrive within ${timeoutMs / 1_000} seconds`));
	}, timeoutMs);
	return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/** Reads a body from Node's request. Stops reading on an error; after the response `drainAfterResponse` reads and discards the rest. */
function readSource(source: IncomingMessage, { maxBytes, allocation }: BodyReadOptions, deadline?: AbortSignal): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		const fail = (error: unknown) => {
			source.off("data", addChunk).pause();
			reject(error);
		};
		const addChunk = (chunk: Buffer) => {
			try {
				size += chunk.byteLength;
				if (size > maxBytes) throw tooLarge(maxBytes, `got ${size} and more`);
				allocation.add(chunk.byteLength);
				chunks.push(chunk);
			} catch (error) {
				chunks.length = 0;
				fail(error);
			}
		};
		const end = () => (source.complete ? resolve(Buffer.concat(chunks)) : reject(new Error("the connection was closed")));
		// A closed source emits no further events.
		if (source.destroyed) return end();
		source.on("data", addChunk).once("end", end).once("error", reject).once("close", end);
		deadline?.addEventListener("abort", () => fail(deadline.reason), { once: true });
	});
}

/** Reads a body from a web stream. On an error the rest is read and discarded in the background. */
async function readStream(
	body: ReadableStream<Uint8Array>,
	{ maxBytes, allocation }: BodyReadOptions,
	deadline?: AbortSignal,
): Promise<Buffer> {
	const reader = body.getReader();
	const deadlinePassed = new Promise<never>((_resolve, reject) => {
		deadline?.addEventListener("abort", () => reject(deadline.reason), { once: true });
	});
	deadlinePassed.catch(() => {});
	const chunks: Uint8Array[] = [];
	let size = 0;
	for (;;) {
		try {
			const { done, value } = await Promise.race([reader.read(), deadlinePassed]);
			if (done) return Buffer.concat(chunks);
			size += value.byteLength;
			if (size > maxBytes) throw tooLarge(maxBytes, `got ${size} and more`);
			allocation.add(value.byteLength);
			chunks.push(value);
		} catch (error) {
			void drain(reader);
			throw error;
		}
	}
}

/**
 * Reads and discards up to 64 MiB. Otherwise a client that writes its whole request before it reads would get a connection reset
 * and no response.
 */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
	let size = 0;
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			size += value.byteLength;
			if (size > maxDrainBytes) return await reader.cancel();
		}
	} catch {
		// The client has disconnected: there is nothing left to discard.
	}
}

function tooLarge(limit: number, got: string): SvcError {
	return new SvcError("SVC_TOO_LARGE", `body: must be at most ${limit} bytes, ${got}`);
}

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const decoders: ReadonlyMap<string, Decode> = new Map([
	["gzip", promisify(gunzip) as Decode],
	["x-gzip", promisify(gunzip) as Decode],
	["deflate", promisify(inflate) as Decode],
	["br", promisify(brotliDecompress) as Decode],
]);

/**
 * Decodes a body from the coding in its header `Content-Encoding`. Throws `SVC_TOO_LARGE` instead of producing more than `limit`
 * bytes. Throws `SVC_UNSUPPORTED` for an unknown coding, and `SVC_INVALID` for bytes that are not valid in the coding.
 */
async function decodeContent(bytes: Buffer, contentEncoding: string, limit: number): Promise<Buffer> {
	const coding = contentEncoding.trim().toLowerCase();
	if (coding === "" || coding === "identity" || bytes.length === 0) return bytes;
	const decode = decoders.get(coding);
	if (decode === undefined) {
		const name = JSON.stringify(coding.slice(0, 100));
		throw new SvcError("SVC_UNSUPPORTED", `header Content-Encoding: ${name} is not supported, use gzip, deflate or br`);
	}
	try {
		return await decode(bytes, { maxOutputLength: limit });
	} catch (cause) {
		if ((cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
			throw new SvcError("SVC_TOO_LARGE", `body: must be at most ${limit} bytes; it is longer after decoding ${coding}`, { cause });
		}
		throw new SvcError("SVC_INVALID", `Failed to parse request body: not valid ${coding}, which the header Content-Encoding names`, {
			cause,
		});
	}
}
