import { createMemory, lazily, type WasmMemory } from "./wasm-function.ts";

/** Size of the WebAssembly memory in bytes. The operating system allocates only the pages that are used. */
const memorySize = 8_388_608;
/** Bytes at the start of the memory that are reserved for tables of functions. */
const tableBytes = 4_096;
/** Bytes after each reserved buffer that block-wise functions may read and write. */
const overrunBytes = 32;

/** The WebAssembly memory and its allocation state. */
interface TextMemory {
	readonly memory: WasmMemory;
	readonly bytes: Buffer;
	/** Offset of the next reserved buffer. */
	nextOffset: number;
}

const getSharedMemory = lazily((): TextMemory => {
	const memory = createMemory(memorySize);
	return { memory, bytes: Buffer.from(memory.buffer), nextOffset: tableBytes };
});

/**
 * Returns the memory on which WebAssembly functions work. Input in this memory need not be copied for them.
 *
 * That matters during bulk output, where several functions process each byte. Throws if WebAssembly is not available.
 */
export function getTextMemory(): Pick<TextMemory, "memory" | "bytes"> {
	const shared = getSharedMemory();
	if (shared === undefined) throw new Error("WebAssembly functions cannot allocate memory");
	return shared;
}

/**
 * Permanently reserves a buffer in the WebAssembly memory. Returns undefined if its capacity is used up, or if WebAssembly is not
 * available.
 */
export function reserveBuffer(length: number): Buffer | undefined {
	const shared = getSharedMemory();
	if (shared === undefined || shared.nextOffset + length + overrunBytes > memorySize) return undefined;
	const piece = shared.bytes.subarray(shared.nextOffset, shared.nextOffset + length);
	shared.nextOffset += length + overrunBytes;
	return piece;
}

/** Returns the address of bytes in the WebAssembly memory. Returns undefined if they are elsewhere. */
export function addressOf(bytes: Uint8Array): number | undefined {
	return bytes.buffer === getSharedMemory()?.bytes.buffer ? bytes.byteOffset : undefined;
}
