import { isSvcError, SvcError } from "../contract/index.ts";

const drainLimit = 64 * 1024 * 1024;

/** Text of a request's body. Throws `SVC_TOO_LARGE` above `limit` bytes, announced or not. */
export async function readText(request: Request, limit: number): Promise<string> {
	const announced = request.headers.get("content-length");
	if (Number(announced) > limit) throw tooLarge(limit);
	try {
		if (announced !== null) return await request.text();
		return request.body === null ? "" : await readChunked(request.body, limit);
	} catch (cause) {
		if (isSvcError(cause)) throw cause;
		throw new SvcError("SVC_INVALID", "Failed to parse request body: the connection ended before it was complete", { cause });
	}
}

async function readChunked(body: ReadableStream<Uint8Array>, limit: number): Promise<string> {
	const reader = body.getReader();
	const chunks: Uint8Array[] = [];
	let size = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return Buffer.concat(chunks).toString("utf8");
		size += value.byteLength;
		if (size > limit) {
			void drain(reader);
			throw tooLarge(limit);
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

function tooLarge(limit: number): SvcError {
	return new SvcError("SVC_TOO_LARGE", `body: must be at most ${limit} bytes`);
}
