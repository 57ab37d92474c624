import type { Readable } from "node:stream";
import { SvcError } from "../../../contract/index.ts";

const longestLine = 4_096;

/** Takes a stream apart into lines and stretches of bytes. */
export class ByteReader {
	readonly #source: AsyncIterator<Buffer>;
	#rest: Buffer = Buffer.alloc(0);

	constructor(source: Readable) {
		this.#source = source[Symbol.asyncIterator]();
	}

	/** Up to the next line break, without it. */
	async line(): Promise<string> {
		for (let end = this.#rest.indexOf(10); ; end = this.#rest.indexOf(10)) {
			if (end !== -1) return this.#take(end + 1).toString("utf8", 0, end);
			if (this.#rest.length > longestLine) throw new SvcError("SVC_INVALID", "git has answered something that is not understood");
			this.#rest = Buffer.concat([this.#rest, await this.#next()]);
		}
	}

	async bytes(count: number): Promise<Buffer> {
		const parts: Buffer[] = [];
		for await (const part of this.chunks(count)) parts.push(part);
		return Buffer.concat(parts);
	}

	/** So many bytes, as they come. */
	async *chunks(count: number): AsyncGenerator<Buffer> {
		for (let left = count; left > 0; ) {
			if (this.#rest.length === 0) this.#rest = await this.#next();
			const part = this.#take(Math.min(left, this.#rest.length));
			left -= part.length;
			yield part;
		}
	}

	#take(count: number): Buffer {
		const taken = this.#rest.subarray(0, count);
		this.#rest = this.#rest.subarray(count);
		return taken;
	}

	async #next(): Promise<Buffer> {
		const { done, value } = await this.#source.next();
		if (done) throw new SvcError("SVC_UNAVAILABLE", "git has ended before it had answered");
		return value;
	}
}
