import { encodeModule, lazily, loadFunction } from "./wasm-function.ts";
import { addressOf, getTextMemory, reserveBuffer } from "./wasm-memory.ts";

const newline = 10;
const blockSize = 16;
/** Maximum bytes outside of the WebAssembly memory that are copied and counted at a time. */
const maxCopiedBytes = 65_536;

type Count = (from: number, until: number) => number;

const local = (index: number) => ({ get: [0x20, index], set: [0x21, index], tee: [0x22, index] });
const [from, until, count] = [local(0), local(1), local(2)] as const;
const add = [0x6a];

/**
 * Code of `count(from, until)`, which returns the number of line breaks in whole blocks. The numbers are opcodes of the WebAssembly
 * specification.
 */
const code = [
	// Opens a block and a loop. Leaves both when `from` is not less than `until`.
	...[0x02, 0x40, 0x03, 0x40, ...from.get, ...until.get, 0x4f, 0x0d, 1],
	// Counts the set bits of a mask, which has one bit for each line break of the block.
	...[...from.get, 0xfd, 0x00, 0, 0, 0xfd, 0x0c, ...Array.from({ length: blockSize }, () => newline), 0xfd, 0x23, 0xfd, 0x64, 0x69],
	...[...count.get, ...add, ...count.set],
	...[...from.get, 0x41, blockSize, ...add, ...from.set, 0x0c, 0, 0x0b, 0x0b],
	...[...count.get, 0x0b],
];

const getWasmCounter = lazily(() => {
	const module = encodeModule({ name: "count", parameters: 2, locals: ["int32"], code });
	const run = loadFunction<Count>(module, "count", getTextMemory().memory);
	return { run, buffer: reserveBuffer(maxCopiedBytes) };
});

/** Returns the number of line breaks in the given bytes. Converting them to a string first would produce garbage. */
export function countNewlines(text: Uint8Array): number {
	const { run, buffer } = getWasmCounter() ?? {};
	const wholeBlockBytes = buffer === undefined ? 0 : text.length - (text.length % blockSize);
	let sum = countBytewise(text.subarray(wholeBlockBytes));
	if (run === undefined || buffer === undefined || wholeBlockBytes === 0) return sum;
	const address = addressOf(text);
	if (address !== undefined) return sum + run(address, address + wholeBlockBytes);
	for (let start = 0; start < wholeBlockBytes; start += maxCopiedBytes) {
		const part = text.subarray(start, Math.min(wholeBlockBytes, start + maxCopiedBytes));
		buffer.set(part);
		sum += run(buffer.byteOffset, buffer.byteOffset + part.length);
	}
	return sum;
}

function countBytewise(text: Uint8Array): number {
	let sum = 0;
	for (const byte of text) if (byte === newline) sum += 1;
	return sum;
}
