import { blockSize, escapeModule, escapeTable, textStart } from "./escape-code.ts";

const pageSize = 65_536;
/** Characters; longer texts are rare, and for shorter ones `JSON.stringify` is as good. */
const [shortest, longest] = [4_096, 98_304];
/** Of one character. */
const longestEscape = 6;
const targetStart = textStart + longest + blockSize;

type Escape = (from: number, until: number, to: number) => number;

/** The part of WebAssembly that is used: the types of Node have none of it. */
interface Wasm {
	readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
	readonly Module: new (code: Uint8Array) => object;
	readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly escape: Escape } };
}

/**
 * JSON of large texts of ASCII, which most output is. `JSON.stringify` looks at each character by itself, and makes a text that is copied twice
 * until it is bytes; of a flood that was a fifth of all time.
 */
class AsciiJson {
	readonly #bytes: Buffer;
	readonly #escape: Escape;

	constructor() {
		const { Memory, Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
		const initial = Math.ceil((targetStart + longest * longestEscape + blockSize) / pageSize);
		const memory = new Memory({ initial });
		this.#bytes = Buffer.from(memory.buffer);
		for (let code = 0; code < 128; code += 1) {
			const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1);
			this.#bytes.write(escaped, escapeTable + code * 8);
			this.#bytes[escapeTable + code * 8 + 7] = escaped.length;
		}
		this.#escape = new Instance(new Module(escapeModule), { host: { memory } }).exports.escape;
	}

	escape(text: string): Buffer {
		this.#bytes.write(text, textStart, "latin1");
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
 * The bytes of a large text of ASCII as they stand between the quotes of JSON, there until the next call; undefined for every other text.
 */
export function escapeAscii(text: string): Buffer | undefined {
	if (text.length < shortest || text.length > longest || Buffer.byteLength(text) !== text.length) return undefined;
	if (asciiJson === undefined) asciiJson = createAsciiJson();
	return asciiJson?.escape(text);
}
