import { encodeModule } from "./wasm-function.ts";

/** Address of a table with the escape of each ASCII character, eight bytes each. */
export const escapeTableAddress = 0;
/**
 * Bytes that one instruction processes. The code reads up to two blocks after the end of its input, and overwrites as many after its
 * output.
 */
export const blockSize = 16;

// Instructions of WebAssembly by their opcodes, with their immediate operands.
const local = (index: number) => ({ get: [0x20, index], set: [0x21, index], tee: [0x22, index] });
const constant = (value: number) => [0x41, value];
const [add, subtract, shiftLeft] = [[0x6a], [0x6b], [0x74]];
const [isZero, isNotLess, trailingZeros] = [[0x45], [0x4f], [0x68]];
const [block, loop, when, end] = [[0x02, 0x40], [0x03, 0x40], [0x04, 0x40], [0x0b]];
/**
 * Branches to the end of a block or `when`, or to the start of a loop. `levels` is the number of enclosing constructs that it leaves.
 */
const branch = (levels: number) => [0x0c, levels];
const branchIf = (levels: number) => [0x0d, levels];
const loadByte = (offset: number) => [0x2d, 0, offset];
const loadEight = [0x29, 0, 0];
const storeEight = [0x37, 0, 0];
const loadBlock = (offset = 0) => [0xfd, 0x00, 0, offset];
const storeBlock = (offset = 0) => [0xfd, 0x0b, 0, offset];
const splat = (byte: number) => [0xfd, 0x0c, ...Array.from({ length: blockSize }, () => byte)];
/** Compares signed bytes. For ASCII the result is that of an unsigned comparison, which x64 lacks. */
const areLess = [0xfd, 0x25];
const [areEqual, or, anyTrue, toBitmask] = [
	[0xfd, 0x23],
	[0xfd, 0x50],
	[0xfd, 0x53],
	[0xfd, 0x64],
];

const [from, until, to, mask, bytes, nextBytes] = [local(0), local(1), local(2), local(3), local(4), local(5)] as const;

/** Marks each byte that needs an escape: bytes below the space, quotes and backslashes. */
const markEscaped = (block: typeof bytes) => [
	...[...block.get, ...splat(0x20), ...areLess],
	...[...block.get, ...splat(0x22), ...areEqual, ...or],
	...[...block.get, ...splat(0x5c), ...areEqual, ...or],
];
const advance = (length: number) => [
	...[...from.get, ...constant(length), ...add, ...from.set],
	...[...to.get, ...constant(length), ...add, ...to.set],
];

/**
 * Code of `escape(from, until, to)`, which copies bytes to `to` with all JSON escapes. Returns the end of the output.
 *
 * Two blocks are copied and examined together. If a byte of the first block needs an escape, the code writes the escape and continues
 * after that byte.
 */
const code = [
	...[...block, ...loop],
	...[...from.get, ...until.get, ...isNotLess, ...branchIf(1)],
	...[...to.get, ...from.get, ...loadBlock(), ...bytes.tee, ...storeBlock()],
	...[...to.get, ...from.get, ...loadBlock(blockSize), ...nextBytes.tee, ...storeBlock(blockSize)],
	...[...markEscaped(bytes), ...markEscaped(nextBytes), ...or, ...anyTrue, ...isZero, ...when],
	...[...advance(2 * blockSize), ...branch(1), ...end],
	// Converts the marks to a bit mask with one bit for each byte.
	...[...markEscaped(bytes), ...toBitmask, ...mask.tee, ...isZero, ...when],
	...[...advance(blockSize), ...branch(1), ...end],
	// Moves to the first marked byte.
	...[...mask.get, ...trailingZeros, ...mask.tee, ...from.get, ...add, ...from.set],
	...[...to.get, ...mask.get, ...add, ...to.set],
	...[...from.get, ...until.get, ...isNotLess, ...branchIf(1)],
	// Writes the escape of the marked byte. The last of the eight bytes of its table entry is the length.
	...[...from.get, ...loadByte(0), ...constant(3), ...shiftLeft, ...mask.set],
	...[...to.get, ...mask.get, ...loadEight, ...storeEight],
	...[...to.get, ...mask.get, ...loadByte(7), ...add, ...to.set],
	...[...from.get, ...constant(1), ...add, ...from.set],
	...[...branch(0), ...end, ...end],
	// Returns `to - (from - until)`, because the last block may extend beyond the end of the input.
	...[...to.get, ...from.get, ...until.get, ...subtract, ...subtract, ...end],
];

/** Bytes of a WebAssembly module that exports the function `escape`. It imports its memory as `memory` from the module `host`. */
export const escapeModule = encodeModule({ name: "escape", parameters: 3, locals: ["int32", "vector", "vector"], code });
