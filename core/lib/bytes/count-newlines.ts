import { loadFunction, toModule } from "./wasm-function.ts";
import { findPlace, reserveText, textMemory } from "./wasm-memory.ts";

const newline = 10;
const blockSize = 16;
/** Bytes that are counted at a time where they lie elsewhere. */
const longest = 65_536;

type Count = (from: number, until: number) => number;

const local = (index: number) => ({ get: [0x20, index], set: [0x21, index], tee: [0x22, index] });
const [from, until, count] = [local(0), local(1), local(2)] as const;
const add = [0x6a];

/** `count(from, until)`: how many line ends there are from `from` to `until`, in whole blocks. The numbers are those of the specification of WebAssembly. */
const code = [
	// block, loop; left once `from` is not less than `until`
	...[0x02, 0x40, 0x03, 0x40, ...from.get, ...until.get, 0x4f, 0x0d, 1],
	// a bit for each byte of the block that is a line end, counted
	...[...from.get, 0xfd, 0x00, 0, 0, 0xfd, 0x0c, ...Array.from({ length: blockSize }, () => newline), 0xfd, 0x23, 0xfd, 0x64, 0x69],
	...[...count.get, ...add, ...count.set],
	...[...from.get, 0x41, blockSize, ...add, ...from.set, 0x0c, 0, 0x0b, 0x0b],
	...[...count.get, 0x0b],
];

let counter: { readonly run: Count; readonly room: Buffer } | null | undefined;

function createCounter(): typeof counter {
	try {
		const module = toModule({ name: "count", parameters: 2, locals: ["int32"], code });
		const run = loadFunction<Count>(module, "count", textMemory().memory);
		const room = reserveText(longest);
		return room === undefined ? null : { run, room };
	} catch {
		return null;
	}
}

/** How many line ends a text has, as bytes: a string of it would only be more to collect. */
export function countLineEndsIn(text: Uint8Array): number {
	if (counter === undefined) counter = createCounter();
	const whole = counter === null || counter === undefined ? 0 : text.length - (text.length % blockSize);
	let sum = countOneByOne(text.subarray(whole));
	if (!counter || whole === 0) return sum;
	const { run, room } = counter;
	const place = findPlace(text);
	if (place !== undefined) return sum + run(place, place + whole);
	for (let start = 0; start < whole; start += longest) {
		const part = text.subarray(start, Math.min(whole, start + longest));
		room.set(part);
		sum += run(room.byteOffset, room.byteOffset + part.length);
	}
	return sum;
}

function countOneByOne(text: Uint8Array): number {
	let sum = 0;
	for (const byte of text) if (byte === newline) sum += 1;
	return sum;
}
