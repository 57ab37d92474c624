import { type FileHandle, open } from "node:fs/promises";
import { OutputChannel } from "../output-channel.ts";
import { creditWindowBytes } from "../protocol.ts";

interface FileFollowerOptions {
	/** Bytes of UTF-8 text that were delivered before. */
	readonly deliveredBytes: number;
	deliver(text: string): Promise<void> | void;
	onFailure(error: unknown): void;
}

/** Reads a growing file and delivers it as strings, in the same way as the output of a pipe. Skips the bytes that were delivered before. */
export class FileFollower {
	readonly #file: FileHandle;
	readonly #channel: OutputChannel;
	readonly #buffer = Buffer.alloc(64 * 1024);
	#offset = 0;
	/** Bytes that were passed to the channel and are not consumed yet. */
	#unconsumedBytes = 0;
	#wake = () => {};

	private constructor(file: FileHandle, { deliveredBytes, deliver, onFailure }: FileFollowerOptions) {
		this.#file = file;
		// Counts bytes of the decoded text, not of the file: a byte that is not valid UTF-8 becomes three.
		const skip = createSkip(deliveredBytes);
		this.#channel = new OutputChannel({
			deliver: (text) => {
				const rest = skip(text);
				return rest === "" ? undefined : deliver(rest);
			},
			onConsumed: (bytes) => {
				this.#unconsumedBytes -= bytes;
				this.#wake();
			},
			onFailure,
		});
	}

	/** Opens a file. Rejects with the system's error if that fails. */
	static async open({ path, ...options }: FileFollowerOptions & { readonly path: string }): Promise<FileFollower> {
		return new FileFollower(await open(path, "r"), options);
	}

	/** Follows an open file; `close` also closes it. */
	static fromHandle(file: FileHandle, options: FileFollowerOptions): FileFollower {
		return new FileFollower(file, options);
	}

	/** Delivers the bytes that were added. Waits while too many are not consumed yet. Stops early when `isOver` returns true. */
	async read(isOver: () => boolean): Promise<void> {
		while (!isOver()) {
			if (this.#unconsumedBytes >= creditWindowBytes) {
				await new Promise<void>((resolve) => {
					this.#wake = resolve;
				});
				continue;
			}
			const { bytesRead } = await this.#file.read(this.#buffer, 0, this.#buffer.length, this.#offset);
			if (bytesRead === 0) return;
			this.#offset += bytesRead;
			this.#unconsumedBytes += bytesRead;
			this.#channel.push(Buffer.from(this.#buffer.subarray(0, bytesRead)));
		}
	}

	/** Resolves when everything that was read is delivered. */
	async end(): Promise<void> {
		this.#channel.end();
		await this.#channel.whenDone;
	}

	async close(): Promise<void> {
		this.#channel.end();
		await this.#file.close();
	}
}

/**
 * Returns a function that removes the first `bytes` bytes of a string that is passed to it in parts. The removed bytes must end at a
 * character boundary.
 */
function createSkip(bytes: number): (text: string) => string {
	let remainingBytes = bytes;
	return (text) => {
		if (remainingBytes === 0) return text;
		const pieceBytes = Buffer.from(text);
		const rest = pieceBytes.subarray(remainingBytes);
		remainingBytes = Math.max(0, remainingBytes - pieceBytes.length);
		return rest.toString();
	};
}
