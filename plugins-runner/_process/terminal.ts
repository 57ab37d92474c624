import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, write } from "node:fs";
import { createRequire } from "node:module";
import { ReadStream } from "node:tty";

const columns = 200;
const rows = 50;

/** Part of node-pty's native module that is used here. */
interface NativePty {
	open(columns: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
}

export interface Terminal {
	/** Descriptor for the stdout of the child. */
	readonly descriptor: number;
	readonly stream: ReadStream;
	/** Converts the bytes that were read to the program's output. `ended` is true once the mark of `finish` was read. */
	decode(bytes: Buffer): { readonly output: Buffer; readonly ended: boolean };
	/** Marks the end of the stream. Called when the child has exited: everything that it wrote precedes the mark. */
	finish(): void;
	close(): void;
}

/**
 * Opens a pseudo-terminal for the stdout of one child. The end of its stream is a mark, written after the child's exit. The hang-up of the
 * terminal itself may overtake output, and would wait for any background process.
 */
export function openTerminal(): Terminal {
	const native = loadNative();
	const { master, slave, pty } = native.open(columns, rows);
	// The native descriptor is non-blocking, which makes programs fail. Without O_NOCTTY it might become the launcher's controlling terminal.
	const descriptor = openSync(pty, constants.O_RDWR | constants.O_NOCTTY);
	closeSync(slave);
	const mark = Buffer.from(`\0${randomBytes(16).toString("hex")}\0`);
	const stream = new ReadStream(master);
	let isOpen = true;
	return {
		descriptor,
		stream,
		decode: createMarkDecoder(mark),
		finish: () => void (isOpen && write(descriptor, mark, () => {})),
		close() {
			if (!isOpen) return;
			isOpen = false;
			stream.destroy();
			closeSync(descriptor);
		},
	};
}

function loadNative(): NativePty {
	const require = createRequire(import.meta.url);
	// The package installed under this name is the build of @lydell, with one small binary package for each platform. Where there is no such
	// binary, the original package, which compiles, may be installed.
	const { native } = require("node-pty") as { readonly native?: NativePty };
	if (native !== undefined) return native;
	return createRequire(require.resolve("node-pty"))(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`) as NativePty;
}

/** Creates a decoder that removes the mark, and the carriage return that a terminal puts before each newline. */
export function createMarkDecoder(mark: Buffer): Terminal["decode"] {
	let undecidedBytes: Buffer = Buffer.alloc(0);
	return (bytes) => {
		undecidedBytes = undecidedBytes.length > 0 ? Buffer.concat([undecidedBytes, bytes]) : bytes;
		const markIndex = undecidedBytes.indexOf(mark);
		const end = markIndex >= 0 ? markIndex : undecidedBytes.length - countUndecidedBytes(undecidedBytes, mark);
		const output = toNewlines(undecidedBytes.subarray(0, end));
		undecidedBytes = undecidedBytes.subarray(end);
		return { output, ended: markIndex >= 0 };
	};
}

/** Returns how many bytes at the end may be part of the mark or of a line end. */
function countUndecidedBytes(bytes: Buffer, mark: Buffer): number {
	for (let start = Math.max(0, bytes.length - mark.length + 1); start < bytes.length; start++) {
		if (bytes[start] === 0 && mark.subarray(0, bytes.length - start).equals(bytes.subarray(start))) return bytes.length - start;
	}
	return bytes[bytes.length - 1] === 13 ? 1 : 0;
}

function toNewlines(bytes: Buffer): Buffer {
	return bytes.includes(13) ? Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1") : bytes;
}
