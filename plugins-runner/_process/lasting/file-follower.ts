import { type FileHandle, open } from "node:fs/promises";
import { OutputChannel } from "../output-channel.ts";
import { creditWindowBytes } from "../protocol.ts";

interface FileFollowerOptions {
	/** Bytes of the text that have been delivered before. */
	readonly deliveredBytes: number;
	deliver(text: string): Promise<void> | void;
	onFailure(error: unknown): void;
}

/** Reads a growing file as text, by lines as a pipe would be read, and leaves out what was delivered before. */
export class FileFollower {
	readonly #file: FileHandle;
	readonly #channel: OutputChannel;
	readonly #buffer = Buffer.alloc(64 * 1024);
	#offset = 0;
	/** Bytes handed to the channel and not dealt with. */
	#outstanding = 0;
	#wake = () => {};

	private constructor(file: FileHandle, { deliveredBytes, deliver, onFailure }: FileFollowerOptions) {
		this.#file = file;
		// Text and not bytes are counted: a byte that is no UTF-8 becomes three.
		const skip = createSkip(deliveredBytes);
		this.#channel = new OutputChannel({
			deliver: (text) => {
				const rest = skip(text);
				return rest === "" ? undefined : deliver(rest);
			},
			onConsumed: (bytes) => {
				this.#outstanding -= bytes;
				this.#wake();
			},
			onFailure,
		});
	}

	static async open({ path, ...options }: FileFollowerOptions & { readonly path: string }): Promise<FileFollower> {
		return new FileFollower(await open(path, "r"), options);
	}

	/** Of a file that is open; it is closed with the follower. */
	static fromHandle(file: FileHandle, options: FileFollowerOptions): FileFollower {
		return new FileFollower(file, options);
	}

	/** Hand on what has been added. Waits while too much of it is still to be delivered. */
	async read(isOver: () => boolean): Promise<void> {
		while (!isOver()) {
			if (this.#outstanding >= creditWindowBytes) {
				await new Promise<void>((resolve) => {
					this.#wake = resolve;
				});
				continue;
			}
			const { bytesRead } = await this.#file.read(this.#buffer, 0, this.#buffer.length, this.#offset);
			if (bytesRead === 0) return;
			this.#offset += bytesRead;
			this.#outstanding += bytesRead;
			this.#channel.push(Buffer.from(this.#buffer.subarray(0, bytesRead)));
		}
	}

	/** Resolves when all that was read is delivered. */
	async end(): Promise<void> {
		this.#channel.end();
		await this.#channel.whenDone;
	}

	async close(): Promise<void> {
		this.#channel.end();
		await this.#file.close();
	}
}

/** Takes so many bytes off the beginning of a text that comes in pieces. They end with a whole character. */
function createSkip(bytes: number): (text: string) => string {
	let left = bytes;
	return (text) => {
		if (left === 0) return text;
		const all = Buffer.from(text);
		const rest = all.subarray(left);
		left = Math.max(0, left - all.length);
		return rest.toString();
	};
}
