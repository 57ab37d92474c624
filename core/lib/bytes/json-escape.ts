import { blockSize, escapeModule, escapeTable } from "./json-escape-wasm.ts";
import { loadFunction } from "./wasm-function.ts";
import { findPlace, reserveText, textMemory } from "./wasm-memory.ts";

/** Characters; longer texts are rare, and for shorter ones `JSON.stringify` is as good. */
const [shortest, longest] = [4_096, 196_608];
/** Of one character. */
const longestEscape = 6;

type Escape = (from: number, until: number, to: number) => number;

/**
 * JSON of large texts of ASCII, which most output is. `JSON.stringify` looks at each character by itself, and makes a text that is copied twice
 * until it is bytes; of a flood that was a fifth of all time.
 */
class AsciiJson {
	readonly #bytes: Buffer;
	/** What lies elsewhere is copied to the one, and what has come of it lies in the other. */
	readonly #source: Buffer;
	readonly #target: Buffer;
	readonly #escape: Escape;

	constructor() {
		const { memory, bytes } = textMemory();
		this.#escape = loadFunction<Escape>(escapeModule, "escape", memory);
		const [source, target] = [reserveText(longest), reserveText(longest * longestEscape + 2 * blockSize)];
		if (source === undefined || target === undefined) throw new Error("there is no room");
		[this.#bytes, this.#source, this.#target] = [bytes, source, target];
		for (let code = 0; code < 128; code += 1) {
			const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1);
			this.#bytes.write(escaped, escapeTable + code * 8);
			this.#bytes[escapeTable + code * 8 + 7] = escaped.length;
		}
	}

	escape(text: string | Uint8Array): Buffer {
		const { byteOffset: to } = this.#target;
		return this.#bytes.subarray(to, this.#escape(...this.#place(text), to));
	}

	/** From where to where the text lies in the memory. */
	#place(text: string | Uint8Array): [from: number, until: number] {
		const place = typeof text === "string" ? undefined : findPlace(text);
		if (place !== undefined) return [place, place + text.length];
		if (typeof text === "string") this.#source.write(text, "latin1");
		else this.#source.set(text);
		return [this.#source.byteOffset, this.#source.byteOffset + text.length];
	}
}

/** Null: this machine, or what it lets run, cannot do it. */
let asciiJson: AsciiJson | null | undefined;

function createAsciiJson(): AsciiJson | null {
	try {
		return new AsciiJson();
	} catch {
		return null;
	}
}

/**
 * The bytes of a large text of ASCII, which may be given as bytes, as they stand between the quotes of JSON, there until the next call;
 * undefined for every other text.
 */
export function escapeAscii(text: string | Uint8Array): Buffer | undefined {
	return canEscape(text) ? asciiJson?.escape(text) : undefined;
}

/** Whether it is a large text of ASCII, and this machine can do it. */
function canEscape(text: string | Uint8Array): boolean {
	if (text.length < shortest || text.length > longest || Buffer.byteLength(text) !== text.length) return false;
	if (asciiJson === undefined) asciiJson = createAsciiJson();
	return asciiJson !== null;
}
