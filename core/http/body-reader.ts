import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { isSvcError, SvcError } from "../contract/index.ts";
import type { HeldBody } from "./body-memory.ts";
import type { ServerRequest } from "./server-request.ts";

/** What a host is told that parses bodies itself. */
export const alreadyRead = "body: it was read before the service got the request; mount the service in front of whatever parses bodies";

const drainLimit = 64 * 1024 * 1024;

/** Limits for reading the body of a request. */
export interface BodyBounds {
	/** Most bytes. */
	readonly limit: number;
	/** Milliseconds in which it must have arrived. Undefined: as long as the listener waits for a request. */
	readonly timeout?: number | undefined;
	/** Counts the bytes that arrive. */
	readonly held: HeldBody;
}

/**
 * Bytes of a request's body, decoded from its content coding. Throws `SVC_TOO_LARGE` above the limit, whether the length was announced or not,
 * before decoding or after it, `SVC_INVALID` if the body does not arrive in time, and `SVC_UNAVAILABLE` if no memory is left for it. The
 * connection of a body that is late is closed after the answer.
 */
export async function readBytes(request: ServerRequest, bounds: BodyBounds): Promise<Buffer> {
	const announced = request.headers.get("content-length");
	if (Number(announced) > bounds.limit) throw tooLarge(bounds.limit, `got ${announced}`);
	const bytes = await readAll(request, bounds);
	const coding = request.headers.get("content-encoding");
	if (coding === null) return bytes;
	const decoded = await decodeContent(bytes, coding, bounds.limit);
	// The encoded bytes are no longer held.
	bounds.held.add(Math.max(0, decoded.byteLength - bytes.byteLength));
	return decoded;
}

async function readAll(request: ServerRequest, bounds: BodyBounds): Promise<Buffer> {
	const { timeout } = bounds;
	const deadline = timeout === undefined ? undefined : startDeadline(request, timeout);
	try {
		const source = request.runtime?.node?.req as IncomingMessage | undefined;
		// A stream of the web for each request would cost more than all the rest of a short one.
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
	/** Aborted when it has passed; the reason is the error to answer with. */
	readonly signal: AbortSignal;
	end(): void;
}

function startDeadline(request: ServerRequest, timeout: number): Deadline {
	const controller = new AbortController();
	const timer = setTimeout(() => {
		const response = request.runtime?.node?.res as ServerResponse | undefined;
		if (response !== undefined) response.shouldKeepAlive = false;
		controller.abort(new SvcError("SVC_INVALID", `body: must arrive within ${timeout / 1_000} seconds`));
	}, timeout);
	return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/** Stops reading if it fails. After the answer `readRestAfterAnswer` reads and discards the rest. */
function readSource(source: IncomingMessage, { limit, held }: BodyBounds, deadline?: AbortSignal): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		const fail = (error: unknown) => {
			source.off("data", take).pause();
			reject(error);
		};
		const take = (chunk: Buffer) => {
			try {
				size += chunk.byteLength;
				if (size > limit) throw tooLarge(limit, `got ${size} and more`);
				held.add(chunk.byteLength);
				chunks.push(chunk);
			} catch (error) {
				chunks.length = 0;
				fail(error);
			}
		};
		const end = () => (source.complete ? resolve(Buffer.concat(chunks)) : reject(new Error("the connection was closed")));
		// A closed source emits no more events.
		if (source.destroyed) return end();
		source.on("data", take).once("end", end).once("error", reject).once("close", end);
		deadline?.addEventListener("abort", () => fail(deadline.reason), { once: true });
	});
}

async function readStream(body: ReadableStream<Uint8Array>, { limit, held }: BodyBounds, deadline?: AbortSignal): Promise<Buffer> {
	const reader = body.getReader();
	const late = new Promise<never>((_resolve, reject) => {
		deadline?.addEventListener("abort", () => reject(deadline.reason), { once: true });
	});
	late.catch(() => {});
	const chunks: Uint8Array[] = [];
	let size = 0;
	for (;;) {
		try {
			const { done, value } = await Promise.race([reader.read(), late]);
			if (done) return Buffer.concat(chunks);
			size += value.byteLength;
			if (size > limit) throw tooLarge(limit, `got ${size} and more`);
			held.add(value.byteLength);
			chunks.push(value);
		} catch (error) {
			void drain(reader);
			throw error;
		}
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

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const decoders: ReadonlyMap<string, Decode> = new Map([
	["gzip", promisify(gunzip) as Decode],
	["x-gzip", promisify(gunzip) as Decode],
	["deflate", promisify(inflate) as Decode],
	["br", promisify(brotliDecompress) as Decode],
]);

/**
 * Decodes a body as its header `Content-Encoding` says. Throws `SVC_TOO_LARGE` instead of producing more than `limit` bytes, `SVC_UNSUPPORTED`
 * for other codings, and `SVC_INVALID` for bytes that are not in the coding that the header names.
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
			throw new SvcError("SVC_TOO_LARGE", `body: must be at most ${limit} bytes, got more after decoding ${coding}`, { cause });
		}
		throw new SvcError("SVC_INVALID", `Failed to parse request body: not valid ${coding}, which the header Content-Encoding names`, {
			cause,
		});
	}
}
