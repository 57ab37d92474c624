import { blockSize, escapeModule, escapeTableAddress } from "./json-escape-wasm.ts";
import { lazily, loadFunction } from "./wasm-function.ts";
import { addressOf, getTextMemory, reserveBuffer } from "./wasm-memory.ts";

/** Minimum and maximum number of characters. `JSON.stringify` is as fast for shorter strings, and longer ones are rare. */
const [minLength, maxLength] = [4_096, 196_608];
/** Maximum number of bytes of an escaped character. */
const maxEscapeLength = 6;

type Escape = (from: number, until: number, to: number) => number;

/**
 * Escapes large ASCII strings for JSON. Most output is ASCII.
 *
 * `JSON.stringify` examines each character separately and creates a string that is copied twice before it becomes bytes. During bulk
 * output, that took a fifth of the total time.
 */
class AsciiJsonEscaper {
	readonly #bytes: Buffer;
	/** Input outside of the WebAssembly memory is copied to `#source`. The result is written to `#target`. */
	readonly #source: Buffer;
	readonly #target: Buffer;
	readonly #escape: Escape;

	constructor() {
		const { memory, bytes } = getTextMemory();
		this.#escape = loadFunction<Escape>(escapeModule, "escape", memory);
		const [source, target] = [reserveBuffer(maxLength), reserveBuffer(maxLength * maxEscapeLength + 2 * blockSize)];
		if (source === undefined || target === undefined) throw new Error("the buffer is full");
		[this.#bytes, this.#source, this.#target] = [bytes, source, target];
		for (let code = 0; code < 128; code += 1) {
			const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1);
			this.#bytes.write(escaped, escapeTableAddress + code * 8);
			this.#bytes[escapeTableAddress + code * 8 + 7] = escaped.length;
		}
	}

	escape(text: string | Uint8Array): Buffer {
		const { byteOffset: to } = this.#target;
		return this.#bytes.subarray(to, this.#escape(...this.#locate(text), to));
	}

	/** Returns start and end of the input in the WebAssembly memory. Copies the input if it is elsewhere. */
	#locate(text: string | Uint8Array): [from: number, until: number] {
		const address = typeof text === "string" ? undefined : addressOf(text);
		if (address !== undefined) return [address, address + text.length];
		if (typeof text === "string") this.#source.write(text, "latin1");
		else this.#source.set(text);
		return [this.#source.byteOffset, this.#source.byteOffset + text.length];
	}
}

const getEscaper = lazily(() => new AsciiJsonEscaper());

/**
 * Returns the bytes between the quotes of the JSON of a large ASCII string, which may be given as bytes.
 *
 * The bytes are valid until the next call. Returns undefined for every other string, and if WebAssembly is not available or lacks the
 * required instructions.
 */
export function escapeAsciiJson(text: string | Uint8Array): Buffer | undefined {
	if (text.length < minLength || text.length > maxLength || Buffer.byteLength(text) !== text.length) return undefined;
	return getEscaper()?.escape(text);
}
