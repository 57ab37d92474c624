import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, write } from "node:fs";
import { createRequire } from "node:module";
import { ReadStream } from "node:tty";

const columns = 200;
const rows = 50;

/** The part of node-pty's native module that is used. */
interface NativePty {
	open(columns: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
}

export interface Terminal {
	/** For the child's stdout. */
	readonly descriptor: number;
	readonly stream: ReadStream;
	/** Turn what was read into what the program wrote; undefined once `finish` has come through. */
	decode(bytes: Buffer): { readonly output: Buffer; readonly ended: boolean };
	/** The child has exited: everything it wrote stands before the end of the stream. */
	finish(): void;
	close(): void;
}

/**
 * A pseudo-terminal for one child's stdout. Its end of stream is a mark that is written after the child's exit: the terminal's
 * own hang-up may overtake output, and would wait for any background process.
 */
export function openTerminal(): Terminal {
	const native = loadNative();
	const { master, slave, pty } = native.open(columns, rows);
	// The native descriptor is non-blocking, on which programs fail. Without O_NOCTTY it might become our controlling terminal.
	const descriptor = openSync(pty, constants.O_RDWR | constants.O_NOCTTY);
	closeSync(slave);
	const mark = Buffer.from(`\0${randomBytes(16).toString("hex")}\0`);
	const stream = new ReadStream(master);
	let open = true;
	return {
		descriptor,
		stream,
		decode: createMarkDecoder(mark),
		finish: () => void (open && write(descriptor, mark, () => {})),
		close() {
			if (!open) return;
			open = false;
			stream.destroy();
			closeSync(descriptor);
		},
	};
}

function loadNative(): NativePty {
	const require = createRequire(import.meta.url);
	// What is installed under this name is the build of @lydell: one small binary for each platform, in a package of its own. The
	// package of that name, which compiles, may stand in its place where there is no such binary.
	const { native } = require("node-pty") as { readonly native?: NativePty };
	if (native !== undefined) return native;
	return createRequire(require.resolve("node-pty"))(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`) as NativePty;
}

/** Takes the mark off, and the carriage return that a terminal puts before each newline. */
export function createMarkDecoder(mark: Buffer): Terminal["decode"] {
	let held: Buffer = Buffer.alloc(0);
	return (bytes) => {
		held = held.length > 0 ? Buffer.concat([held, bytes]) : bytes;
		const found = held.indexOf(mark);
		const end = found >= 0 ? found : held.length - undecided(held, mark);
		const output = toNewlines(held.subarray(0, end));
		held = held.subarray(end);
		return { output, ended: found >= 0 };
	};
}

/** Bytes at the end that may turn out to be part of the mark or of a line's end. */
function undecided(bytes: Buffer, mark: Buffer): number {
	for (let start = Math.max(0, bytes.length - mark.length + 1); start < bytes.length; start++) {
		if (bytes[start] === 0 && mark.subarray(0, bytes.length - start).equals(bytes.subarray(start))) return bytes.length - start;
	}
	return bytes[bytes.length - 1] === 13 ? 1 : 0;
}

function toNewlines(bytes: Buffer): Buffer {
	return bytes.includes(13) ? Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1") : bytes;
}
