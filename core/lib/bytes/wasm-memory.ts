import { createMemory, type WasmMemory } from "./wasm-function.ts";

/** Bytes, of which the system gives those that are used. */
const size = 8_388_608;
/** The first ones are left to tables of the functions. */
const first = 4_096;
/** Bytes that functions which work on blocks may read and write behind a piece. */
const margin = 32;

interface TextMemory {
	readonly memory: WasmMemory;
	readonly bytes: Buffer;
	/** Where the next piece begins. */
	free: number;
}

let made: TextMemory | null | undefined;

/**
 * Memory that functions of WebAssembly work on. What lies there need not be copied for them, and a flood has each of its bytes looked at by
 * several. Throws where this machine, or what it lets run, has none.
 */
export function textMemory(): Pick<TextMemory, "memory" | "bytes"> {
	const found = find();
	if (found === null) throw new Error("there is no memory for functions of WebAssembly");
	return found;
}

/** A piece of it for good; undefined where there is none left, or none at all. */
export function reserveText(length: number): Buffer | undefined {
	const found = find();
	if (found === null || found.free + length + margin > size) return undefined;
	const piece = found.bytes.subarray(found.free, found.free + length);
	found.free += length + margin;
	return piece;
}

/** Where bytes lie in it; undefined for those that lie elsewhere. */
export function findPlace(bytes: Uint8Array): number | undefined {
	return made && bytes.buffer === made.bytes.buffer ? bytes.byteOffset : undefined;
}

function find(): TextMemory | null {
	if (made === undefined) made = create();
	return made;
}

function create(): TextMemory | null {
	try {
		const memory = createMemory(size);
		return { memory, bytes: Buffer.from(memory.buffer), free: first };
	} catch {
		return null;
	}
}
