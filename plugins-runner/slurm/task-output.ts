import { FileFollower } from "../_process/index.ts";
import { openJobFile } from "./job-file.ts";

interface TaskOutputOptions {
	/** The files of the tasks, in order. */
	readonly paths: readonly string[];
	/** Bytes of the text that have been delivered before, of all of them. */
	readonly delivered: number;
	isLeft(): boolean;
	deliver(text: string): Promise<void> | void;
	onFailure(error: unknown): void;
}

/**
 * One channel of all tasks as one text: what the first has written, then the second, and so on. So the number of bytes that are recorded
 * says where to go on, whoever does so; what later tasks write waits in their files.
 */
export class TaskOutput {
	readonly #options: TaskOutputOptions;
	readonly #skip: (text: string) => string;
	#index = 0;
	#follower: FileFollower | undefined;

	constructor(options: TaskOutputOptions) {
		this.#options = options;
		this.#skip = createSkip(options.delivered);
	}

	/** Hand on what is there. `isOver` is asked before a file is read: what was written before the end is read after it. */
	async read(isOver: (task: number) => boolean): Promise<void> {
		try {
			await this.#readOn(isOver);
		} catch (error) {
			this.#options.onFailure(error);
		}
	}

	async #readOn(isOver: (task: number) => boolean): Promise<void> {
		const { paths, isLeft } = this.#options;
		for (let path = paths[this.#index]; path !== undefined && !isLeft(); path = paths[this.#index]) {
			const over = isOver(this.#index);
			if (over) await refresh(path);
			this.#follower ??= await this.#open(path);
			await this.#follower?.read(isLeft);
			if (!over || isLeft()) return;
			await this.#follower?.end();
			await this.close();
			this.#index++;
		}
	}

	async close(): Promise<void> {
		await this.#follower?.close();
		this.#follower = undefined;
	}

	async #open(path: string): Promise<FileFollower | undefined> {
		const { deliver, isLeft, onFailure } = this.#options;
		const file = await openJobFile(path);
		if (file === undefined) return undefined;
		return FileFollower.fromHandle(file, {
			deliveredBytes: 0,
			deliver: (text) => {
				const rest = isLeft() ? "" : this.#skip(text);
				return rest === "" ? undefined : deliver(rest);
			},
			onFailure,
		});
	}
}

/** On NFS a file that another machine has written is as long as it was until somebody opens it. */
async function refresh(path: string): Promise<void> {
	const file = await openJobFile(path);
	await file?.close();
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
