import type { Socket } from "node:net";

/** What server and launcher say to each other. Each frame is a nine-byte head (length, type, id of the process) and a payload. */
export const frameTypes = {
	/** Launcher: it is up; JSON `LauncherInfo`. */
	ready: 0,
	/** Server: start a process; JSON `ProcessRequest`. */
	start: 1,
	/** Server: so many bytes of a channel have been used up; `encodeChannelNumber`. */
	credit: 2,
	/** Server: end the process; JSON `{ grace }` in milliseconds. */
	end: 3,
	/** Launcher: the process runs; its pid in decimal. */
	started: 4,
	/** Launcher: output. */
	stdout: 5,
	stderr: 6,
	/** Launcher: the process has ended and all its output was sent; JSON `{ code, signal }`. */
	ended: 7,
	/** Launcher: the process could not be started; JSON `StartFailure`. */
	failed: 8,
	/** Launcher: output on descriptor 3. */
	report: 9,
	/** Server: text for the standard input of a process that asked to have it kept open. */
	input: 10,
	/** Launcher: much comes on a channel, and it has stopped reading there; `encodeChannelNumber` with the descriptor of the pipe. */
	offer: 11,
	/** Server: what becomes of an offer, and of a pipe it has taken; `encodeChannelNumber` with one of `loans`. */
	loan: 12,
	/** Launcher: a process has exited of which the server reads a pipe. */
	exited: 13,
} as const;

/** What the server says of the pipe of a channel. */
export const loanStates = {
	/** It cannot open it: the launcher reads on. */
	declined: 0,
	/** It has opened it, and reads it from here on. */
	taken: 1,
	/** It has read it to its end. */
	ended: 2,
	/** It has waited long enough after the exit of the process for others to close it. */
	abandoned: 3,
} as const;

export type FrameType = (typeof frameTypes)[keyof typeof frameTypes];
export const channels = ["stdout", "stderr", "report"] as const;

/** What a process writes to: its standard output and error, and descriptor 3 where the request asks for it. */
export type Channel = (typeof channels)[number];

export interface LauncherInfo {
	/** How it starts processes. */
	readonly spawner: "posix_spawn" | "child_process";
}

export interface ProcessRequest {
	readonly file: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	/** Written to the standard input, which is then closed. Without it the standard input is empty. */
	readonly stdin?: string;
	/** Whether the standard input stays open after that, for `input` frames. It ends with the launcher. */
	readonly input?: boolean;
	/** Whether stdout is a pseudo-terminal. */
	readonly pty?: boolean;
	/** Whether descriptor 3 is a pipe that is read as well: a way out that nothing the process prints can disturb. */
	readonly report?: boolean;
}

export interface StartFailure {
	/** `ENOENT` and so on; `PTY` when pseudo-terminals are not available. */
	readonly code: string;
	/** Which member of the request it concerns. */
	readonly member: "file" | "cwd" | "args" | "pty";
	readonly message: string;
}

/** Bytes of one channel that may be on their way before the launcher stops reading it. */
export const creditWindowBytes = 256 * 1024;

const headSize = 9;
const dataTypes: ReadonlySet<number> = new Set(channels.map((channel) => frameTypes[channel]));

/** The payload of a frame that says a number of a channel. */
export function encodeChannelNumber(channel: Channel, number: number): Buffer {
	const payload = Buffer.allocUnsafe(5);
	payload.writeUInt8(frameTypes[channel], 0);
	payload.writeUInt32LE(number, 1);
	return payload;
}

export function decodeChannelNumber(payload: Buffer): { channel: Channel; number: number } {
	const type = payload.readUInt8(0);
	return { channel: channels.find((channel) => frameTypes[channel] === type) ?? "stdout", number: payload.readUInt32LE(1) };
}

/** Bytes of a payload up to which frames are put together in memory of the writer's, so that `write` has copied them when it returns. */
export const maxCopiedPayloadBytes = 16 * 1024;
const pageSize = 4 * maxCopiedPayloadBytes;
/** The most bytes of UTF-8 that a unit of a text takes. */
const bytesPerUnit = 3;

/**
 * Writes frames. Those of one turn of the event loop leave together; but the first process that it starts does not wait for the rest of the turn.
 * Small ones go into one piece of memory: to give each to the stream by itself would cost more than all the rest of a small frame.
 */
export class FrameWriter {
	readonly #socket: Socket;
	/** Something was written in this turn; it waits for the end of it. */
	#hasWritten = false;
	#isCorked = false;
	/** What is put together, from `#sent` to `#end`. What stands before may still be on its way, so nothing is put there again. */
	#page = Buffer.allocUnsafeSlow(0);
	#sent = 0;
	#end = 0;

	constructor(socket: Socket) {
		this.#socket = socket;
	}

	write(type: FrameType, id: number, payload: Buffer | string = ""): void {
		if (!this.#socket.writable) return;
		const isAlone = type === frameTypes.start && !this.#hasWritten;
		if (!this.#hasWritten) setImmediate(() => this.#endTurn());
		this.#hasWritten = true;
		const most = toMostBytes(payload);
		if (most <= maxCopiedPayloadBytes) this.#gather(type, id, { payload, most });
		else this.#writeLarge(type, id, typeof payload === "string" ? Buffer.from(payload) : payload);
		if (isAlone) this.#send();
	}

	#endTurn(): void {
		this.#hasWritten = false;
		this.#send();
	}

	#gather(type: FrameType, id: number, { payload, most }: { readonly payload: Buffer | string; readonly most: number }): void {
		this.#makeRoom(most);
		const start = this.#end + headSize;
		const length = typeof payload === "string" ? this.#page.write(payload, start) : payload.copy(this.#page, start);
		this.#addHead(type, id, length);
		this.#end += length;
	}

	#writeLarge(type: FrameType, id: number, payload: Buffer): void {
		if (!this.#isCorked) this.#socket.cork();
		this.#isCorked = true;
		this.#makeRoom(0);
		this.#addHead(type, id, payload.length);
		this.#flush();
		this.#socket.write(payload);
	}

	#addHead(type: FrameType, id: number, length: number): void {
		this.#page.writeUInt32LE(length, this.#end);
		this.#page.writeUInt8(type, this.#end + 4);
		this.#page.writeUInt32LE(id, this.#end + 5);
		this.#end += headSize;
	}

	/** For a head and so many bytes, in new memory if need be. */
	#makeRoom(most: number): void {
		if (this.#page.length - this.#end >= headSize + most) return;
		this.#flush();
		this.#page = Buffer.allocUnsafeSlow(pageSize);
		this.#sent = 0;
		this.#end = 0;
	}

	#flush(): void {
		if (this.#end > this.#sent) this.#socket.write(this.#page.subarray(this.#sent, this.#end));
		this.#sent = this.#end;
	}

	#send(): void {
		this.#flush();
		if (this.#isCorked) this.#socket.uncork();
		this.#isCorked = false;
	}
}

/** As many bytes as a payload has, or more. */
function toMostBytes(payload: Buffer | string): number {
	return typeof payload === "string" ? payload.length * bytesPerUnit : payload.length;
}

export type OnFrame = (type: number, id: number, payload: Buffer) => void;

/** Takes a byte stream apart. Output is handed on in the pieces it arrives in, everything else as whole payloads. */
export class FrameReader {
	readonly #onFrame: OnFrame;
	/** Start of a head or of a payload that is not complete yet. */
	#rest: Buffer[] = [];
	#restLength = 0;
	#head: { readonly type: number; readonly id: number; remaining: number } | undefined;

	constructor(onFrame: OnFrame) {
		this.#onFrame = onFrame;
	}

	push(bytes: Buffer): void {
		let offset = 0;
		while (offset < bytes.length) {
			const head = this.#head;
			if (head !== undefined && dataTypes.has(head.type)) offset = this.#pass(head, bytes, offset);
			else {
				const wanted = (head === undefined ? headSize : head.remaining) - this.#restLength;
				const piece = bytes.subarray(offset, offset + wanted);
				offset += piece.length;
				this.#rest.push(piece);
				this.#restLength += piece.length;
				if (piece.length === wanted) this.#complete(head);
			}
		}
	}

	#pass(head: { readonly type: number; readonly id: number; remaining: number }, bytes: Buffer, offset: number): number {
		const piece = bytes.subarray(offset, offset + head.remaining);
		head.remaining -= piece.length;
		if (head.remaining === 0) this.#head = undefined;
		this.#onFrame(head.type, head.id, piece);
		return offset + piece.length;
	}

	#complete(head: { readonly type: number; readonly id: number } | undefined): void {
		const whole = this.#rest.length === 1 && this.#rest[0] !== undefined ? this.#rest[0] : Buffer.concat(this.#rest);
		this.#rest = [];
		this.#restLength = 0;
		if (head !== undefined) {
			this.#head = undefined;
			this.#onFrame(head.type, head.id, whole);
			return;
		}
		const next = { type: whole.readUInt8(4), id: whole.readUInt32LE(5), remaining: whole.readUInt32LE(0) };
		if (next.remaining === 0) this.#onFrame(next.type, next.id, Buffer.alloc(0));
		else this.#head = next;
	}
}
