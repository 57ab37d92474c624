import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { type PackContentChunkEntity, type PackContentFile, type Storage, SvcError } from "../../../contract/index.ts";

/** Bytes of each chunk except the last; 512 KB as base64. It must never change, because stored chunks have this size. */
export const chunkSize = 384 * 1024;

/** Yields the concatenated bytes of all files, cut into chunks. Throws `SVC_INVALID` if a file has changed since it was hashed. */
export async function* cutFiles(directory: string, files: readonly PackContentFile[], signal: AbortSignal): AsyncGenerator<Buffer> {
	let waiting: Buffer[] = [];
	let length = 0;
	for (const file of files) {
		const hash = createHash("sha256");
		for await (const piece of createReadStream(join(directory, file.path), { signal }) as AsyncIterable<Buffer>) {
			hash.update(piece);
			waiting.push(piece);
			length += piece.length;
			if (length < chunkSize) continue;
			const joined = Buffer.concat(waiting);
			const whole = joined.length - (joined.length % chunkSize);
			for (let start = 0; start < whole; start += chunkSize) yield joined.subarray(start, start + chunkSize);
			waiting = [joined.subarray(whole)];
			length -= whole;
		}
		if (hash.digest("hex") !== file.sha256) throw new SvcError("SVC_INVALID", `"${file.path}" changed while it was read`);
	}
	if (length > 0) yield Buffer.concat(waiting);
}

export function toChunk(content: string, sequence: number, data: Buffer): PackContentChunkEntity {
	return { id: `${content}:${String(sequence).padStart(6, "0")}`, content, sequence, data: data.toString("base64") };
}

/** Reads byte ranges of content. Caches the last chunk, because consecutive small files share one chunk. */
export class ContentBytes {
	readonly #storage: Pick<Storage, "find">;
	readonly #content: string;
	#last: { readonly sequence: number; readonly data: Buffer } | undefined;

	constructor(storage: Pick<Storage, "find">, content: string) {
		this.#storage = storage;
		this.#content = content;
	}

	/** Yields the bytes from `start` up to, not including, `end`. Throws `SVC_RUNNER` if a chunk is missing. */
	async *read(start: number, end: number): AsyncGenerator<Buffer> {
		for (let at = start; at < end; ) {
			const sequence = Math.floor(at / chunkSize);
			const from = at - sequence * chunkSize;
			const data = (await this.#piece(sequence)).subarray(from, from + end - at);
			if (data.length === 0)
				throw new SvcError("SVC_RUNNER", `content ${this.#content} is damaged in the storage: chunk ${sequence} is missing`);
			yield data;
			at += data.length;
		}
	}

	async #piece(sequence: number): Promise<Buffer> {
		if (this.#last?.sequence === sequence) return this.#last.data;
		const where = { content: this.#content, sequence };
		const [chunk] = await this.#storage.find("pack_content_chunk", { where, fields: ["data"], limit: 1 });
		const data = Buffer.from(chunk?.data ?? "", "base64");
		this.#last = { sequence, data };
		return data;
	}
}
