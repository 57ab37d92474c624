import type { Socket } from "node:net";

/** Types of the frames between server and launcher. A frame is a nine-byte head (length, type and id of the process) and a payload. */
export const frameTypes = {
	/** Sent by the launcher: it is ready. JSON that names its spawner. */
	ready: 0,
	/** Sent by the server: starts a process. JSON `ProcessRequest`. */
	start: 1,
	/** Sent by the server: a channel, and the number of its bytes that were consumed. The launcher may then read as many more. */
	credit: 2,
	/** Sent by the server: ends the process. JSON `{ grace }`, in milliseconds. */
	end: 3,
	/** Sent by the launcher: the process runs. Its process id as a decimal string. */
	started: 4,
	/** Sent by the launcher: output. */
	stdout: 5,
	stderr: 6,
	/** Sent by the launcher: the process has ended and all its output was sent. JSON `{ code, signal }`. */
	ended: 7,
	/** Sent by the launcher: the process could not be started. JSON `StartFailure`. */
	failed: 8,
	/** Sent by the launcher: output on descriptor 3. */
	report: 9,
	/** Sent by the server: data for the standard input of a process whose request has `input`. */
	input: 10,
	/** Sent by the launcher: it has stopped reading a channel with bulk output. The channel and the descriptor of its pipe. */
	offer: 11,
	/** Sent by the server: answers an offer, or reports the state of a pipe that it reads. The channel and the state. */
	loan: 12,
	/** Sent by the launcher: a process has exited, and the server reads one of its pipes. */
	exited: 13,
} as const;

/** States of a pipe that the launcher has offered to the server; sent by the server. */
export const loanStates = {
	/** The server cannot open the pipe: the launcher continues to read it. */
	declined: 0,
	/** The server has opened the pipe and reads it from now on. */
	taken: 1,
	/** The server has read the pipe to its end. */
	ended: 2,
	/** The process has exited, other processes still hold the pipe open, and the server has waited long enough for them to close it. */
	abandoned: 3,
} as const;

export type FrameType = (typeof frameTypes)[keyof typeof frameTypes];
export const channels = ["stdout", "stderr", "report"] as const;

/** A channel of a process: its standard output, its standard error, or descriptor 3 if the request has `report`. */
export type Channel = (typeof channels)[number];

export interface LauncherInfo {
	/** Method by which the launcher starts processes. */
	readonly spawner: "posix_spawn" | "child_process";
}

export interface ProcessRequest {
	readonly file: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	/** Data for the standard input, which is then closed. Default: an empty standard input. */
	readonly stdin?: string;
	/** True if the standard input stays open after `stdin`, for `input` frames. It ends with the launcher. */
	readonly input?: boolean;
	/** True if stdout is a pseudo-terminal. */
	readonly pty?: boolean;
	/** True if descriptor 3 is a pipe that is read as a third channel, separate from the printed output. */
	readonly report?: boolean;
}

export interface StartFailure {
	/** System error code such as `ENOENT`, or `PTY` if pseudo-terminals are not available; empty if the error has no code. */
	readonly code: string;
	/** Member of the request that caused the failure. */
	readonly member: "file" | "cwd" | "args" | "pty";
	readonly message: string;
}

/** Maximum bytes of one channel that were sent and are not consumed yet. At this limit, the launcher stops reading the channel. */
export const creditWindowBytes = 256 * 1024;

const headBytes = 9;
const outputTypes: ReadonlySet<number> = new Set(channels.map((channel) => frameTypes[channel]));

/** Encodes the payload of a frame that carries a number about a channel: five bytes. */
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

/** Largest payload in bytes that `FrameWriter.write` copies before it returns, so that the caller may reuse its memory. */
export const maxCopiedPayloadBytes = 16 * 1024;
const pageBytes = 4 * maxCopiedPayloadBytes;
/** Largest number of UTF-8 bytes for one UTF-16 code unit. */
const maxBytesPerCodeUnit = 3;

/**
 * Writes frames. Frames of one turn of the event loop are sent together. A `start` frame is sent at once if it is the first frame of the
 * turn, so that its process need not wait for the rest of the turn. Small frames are copied into one page of memory, because passing each
 * to the stream separately costs more than everything else about a small frame.
 */
export class FrameWriter {
	readonly #socket: Socket;
	/** True if a frame was written in this turn of the event loop; reset at its end. */
	#hasWrittenThisTurn = false;
	#isCorked = false;
	/**
	 * Memory for the small frames; those from `#sent` to `#end` are not yet passed to the socket. Bytes before `#sent` are not overwritten,
	 * because the socket may still be sending them.
	 */
	#page = Buffer.allocUnsafeSlow(0);
	#sent = 0;
	#end = 0;

	constructor(socket: Socket) {
		this.#socket = socket;
	}

	write(type: FrameType, id: number, payload: Buffer | string = ""): void {
		if (!this.#socket.writable) return;
		const isFirstStart = type === frameTypes.start && !this.#hasWrittenThisTurn;
		if (!this.#hasWrittenThisTurn) setImmediate(() => this.#endTurn());
		this.#hasWrittenThisTurn = true;
		const maxBytes = countMaxBytes(payload);
		if (maxBytes <= maxCopiedPayloadBytes) this.#gather(type, id, { payload, maxBytes });
		else this.#writeLarge(type, id, typeof payload === "string" ? Buffer.from(payload) : payload);
		if (isFirstStart) this.#send();
	}

	#endTurn(): void {
		this.#hasWrittenThisTurn = false;
		this.#send();
	}

	#gather(type: FrameType, id: number, { payload, maxBytes }: { readonly payload: Buffer | string; readonly maxBytes: number }): void {
		this.#ensureSpace(maxBytes);
		const start = this.#end + headBytes;
		const length = typeof payload === "string" ? this.#page.write(payload, start) : payload.copy(this.#page, start);
		this.#addHead(type, id, length);
		this.#end += length;
	}

	#writeLarge(type: FrameType, id: number, payload: Buffer): void {
		if (!this.#isCorked) this.#socket.cork();
		this.#isCorked = true;
		this.#ensureSpace(0);
		this.#addHead(type, id, payload.length);
		this.#flush();
		this.#socket.write(payload);
	}

	#addHead(type: FrameType, id: number, length: number): void {
		this.#page.writeUInt32LE(length, this.#end);
		this.#page.writeUInt8(type, this.#end + 4);
		this.#page.writeUInt32LE(id, this.#end + 5);
		this.#end += headBytes;
	}

	/** Ensures that the page has space for a head and `maxBytes` bytes of payload; allocates a new page if it does not. */
	#ensureSpace(maxBytes: number): void {
		if (this.#page.length - this.#end >= headBytes + maxBytes) return;
		this.#flush();
		this.#page = Buffer.allocUnsafeSlow(pageBytes);
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

/** Returns an upper bound of the payload's bytes, without encoding it. */
function countMaxBytes(payload: Buffer | string): number {
	return typeof payload === "string" ? payload.length * maxBytesPerCodeUnit : payload.length;
}

export type OnFrame = (type: number, id: number, payload: Buffer) => void;

/** Splits a byte stream into frames. Output is passed on in the chunks in which it arrives, every other payload as a whole. */
export class FrameReader {
	readonly #onFrame: OnFrame;
	/** Beginning of a head or payload that is not complete yet. */
	#partial: Buffer[] = [];
	#partialLength = 0;
	#head: { readonly type: number; readonly id: number; remaining: number } | undefined;

	constructor(onFrame: OnFrame) {
		this.#onFrame = onFrame;
	}

	push(bytes: Buffer): void {
		let offset = 0;
		while (offset < bytes.length) {
			const head = this.#head;
			if (head !== undefined && outputTypes.has(head.type)) offset = this.#passOutput(head, bytes, offset);
			else {
				const missingBytes = (head === undefined ? headBytes : head.remaining) - this.#partialLength;
				const piece = bytes.subarray(offset, offset + missingBytes);
				offset += piece.length;
				this.#partial.push(piece);
				this.#partialLength += piece.length;
				if (piece.length === missingBytes) this.#complete(head);
			}
		}
	}

	#passOutput(head: { readonly type: number; readonly id: number; remaining: number }, bytes: Buffer, offset: number): number {
		const piece = bytes.subarray(offset, offset + head.remaining);
		head.remaining -= piece.length;
		if (head.remaining === 0) this.#head = undefined;
		this.#onFrame(head.type, head.id, piece);
		return offset + piece.length;
	}

	#complete(head: { readonly type: number; readonly id: number } | undefined): void {
		const bytes = this.#partial.length === 1 && this.#partial[0] !== undefined ? this.#partial[0] : Buffer.concat(this.#partial);
		this.#partial = [];
		this.#partialLength = 0;
		if (head !== undefined) {
			this.#head = undefined;
			this.#onFrame(head.type, head.id, bytes);
			return;
		}
		const next = { type: bytes.readUInt8(4), id: bytes.readUInt32LE(5), remaining: bytes.readUInt32LE(0) };
		if (next.remaining === 0) this.#onFrame(next.type, next.id, Buffer.alloc(0));
		else this.#head = next;
	}
}
