import { toModule } from "./wasm-function.ts";

/** Where the code finds the escape of each character, eight bytes each. */
export const escapeTable = 0;
/** Bytes that are dealt with at once; twice as many behind a text are read, and behind what is written overwritten. */
export const blockSize = 16;

// Instructions of WebAssembly by their numbers in its specification, with what stands behind each.
const local = (index: number) => ({ get: [0x20, index], set: [0x21, index], tee: [0x22, index] });
const constant = (value: number) => [0x41, value];
const [add, subtract, shiftLeft] = [[0x6a], [0x6b], [0x74]];
const [isZero, isNotLess, trailingZeros] = [[0x45], [0x4f], [0x68]];
const [block, loop, when, end] = [[0x02, 0x40], [0x03, 0x40], [0x04, 0x40], [0x0b]];
/** To the end of a block or `when`, or the begin of a loop: the number of those around it that are left. */
const goTo = (levels: number) => [0x0c, levels];
const goToIf = (levels: number) => [0x0d, levels];
const loadByte = (offset: number) => [0x2d, 0, offset];
const loadEight = [0x29, 0, 0];
const storeEight = [0x37, 0, 0];
const loadBlock = (offset = 0) => [0xfd, 0x00, 0, offset];
const storeBlock = (offset = 0) => [0xfd, 0x0b, 0, offset];
const everywhere = (byte: number) => [0xfd, 0x0c, ...Array.from({ length: blockSize }, () => byte)];
/** Bytes as numbers with a sign, by which those of ASCII are the same: x64 has no comparison of others. */
const areLess = [0xfd, 0x25];
const [areEqual, either, areAny, toBits] = [
	[0xfd, 0x23],
	[0xfd, 0x50],
	[0xfd, 0x53],
	[0xfd, 0x64],
];

const [from, until, to, bits, bytes, more] = [local(0), local(1), local(2), local(3), local(4), local(5)] as const;

/** A mark for each byte below the space, each quote and each backslash. */
const mark = (block: typeof bytes) => [
	...[...block.get, ...everywhere(0x20), ...areLess],
	...[...block.get, ...everywhere(0x22), ...areEqual, ...either],
	...[...block.get, ...everywhere(0x5c), ...areEqual, ...either],
];
const goOnBehind = (length: number) => [
	...[...from.get, ...constant(length), ...add, ...from.set],
	...[...to.get, ...constant(length), ...add, ...to.set],
];

/**
 * `escape(from, until, to)`: writes the bytes from `from` to `until` to `to`, each that JSON needs escaped as its escape, and answers where that
 * ends. Two blocks are copied and looked at together; where one of the first needs an escape, it goes on behind that one.
 */
const code = [
	...[...block, ...loop],
	...[...from.get, ...until.get, ...isNotLess, ...goToIf(1)],
	...[...to.get, ...from.get, ...loadBlock(), ...bytes.tee, ...storeBlock()],
	...[...to.get, ...from.get, ...loadBlock(blockSize), ...more.tee, ...storeBlock(blockSize)],
	...[...mark(bytes), ...mark(more), ...either, ...areAny, ...isZero, ...when],
	...[...goOnBehind(2 * blockSize), ...goTo(1), ...end],
	// A bit for each mark.
	...[...mark(bytes), ...toBits, ...bits.tee, ...isZero, ...when],
	...[...goOnBehind(blockSize), ...goTo(1), ...end],
	// To the first of them.
	...[...bits.get, ...trailingZeros, ...bits.tee, ...from.get, ...add, ...from.set],
	...[...to.get, ...bits.get, ...add, ...to.set],
	...[...from.get, ...until.get, ...isNotLess, ...goToIf(1)],
	// Its escape, with the length in the last of eight bytes.
	...[...from.get, ...loadByte(0), ...constant(3), ...shiftLeft, ...bits.set],
	...[...to.get, ...bits.get, ...loadEight, ...storeEight],
	...[...to.get, ...bits.get, ...loadByte(7), ...add, ...to.set],
	...[...from.get, ...constant(1), ...add, ...from.set],
	...[...goTo(0), ...end, ...end],
	// The last block may have gone beyond the end.
	...[...to.get, ...from.get, ...until.get, ...subtract, ...subtract, ...end],
];

/** A module with the function `escape` on a memory that it is given as `memory` of `host`. */
export const escapeModule = toModule({ name: "escape", parameters: 3, locals: ["int32", "vector", "vector"], code });
