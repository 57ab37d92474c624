import { loadModule } from "../kernel/basics/wasm-module.ts";
import { blockSize, escapeModule, escapeTable, textStart } from "./escape-code.ts";

/** Characters; longer texts are rare, and for shorter ones `JSON.stringify` is as good. */
const [shortest, longest] = [4_096, 98_304];
/** Of one character. */
const longestEscape = 6;
const targetStart = textStart + longest + blockSize;

type Escape = (from: number, until: number, to: number) => number;

/**
 * JSON of large texts of ASCII, which most output is. `JSON.stringify` looks at each character by itself, and makes a text that is copied twice
 * until it is bytes; of a flood that was a fifth of all time.
 */
class AsciiJson {
	readonly #bytes: Buffer;
	readonly #escape: Escape;

	constructor() {
		const size = targetStart + longest * longestEscape + blockSize;
		const { run, bytes } = loadModule<Escape>(escapeModule, { name: "escape", bytes: size });
		this.#escape = run;
		this.#bytes = bytes;
		for (let code = 0; code < 128; code += 1) {
			const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1);
			this.#bytes.write(escaped, escapeTable + code * 8);
			this.#bytes[escapeTable + code * 8 + 7] = escaped.length;
		}
	}

	escape(text: string | Uint8Array): Buffer {
		if (typeof text === "string") this.#bytes.write(text, textStart, "latin1");
		else this.#bytes.set(text, textStart);
		return this.#bytes.subarray(targetStart, this.#escape(textStart, textStart + text.length, targetStart));
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
	if (text.length < shortest || text.length > longest || Buffer.byteLength(text) !== text.length) return undefined;
	if (asciiJson === undefined) asciiJson = createAsciiJson();
	return asciiJson?.escape(text);
}
