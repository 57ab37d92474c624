import { FileFollower } from "../_process/index.ts";
import { openJobFile } from "./open-job-file.ts";

interface TaskOutputOptions {
	/** Output files of the tasks, in the order of the tasks. */
	readonly paths: readonly string[];
	/** Bytes of the output of all tasks that were delivered by an earlier process. */
	readonly delivered: number;
	isLeft(): boolean;
	deliver(text: string): Promise<void> | void;
	onFailure(error: unknown): void;
}

/**
 * Delivers one channel of all tasks as one stream, in the order of the tasks. So a single count of delivered bytes is enough for another
 * process to resume. The output of a later task stays in its file until all tasks before it have ended.
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

	/**
	 * Delivers the available output. `isOver` is evaluated before each file is read, so that all output before the end of the task is read.
	 */
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

/** On NFS, a client may cache the length of a file that another machine writes. Opening the file again refreshes the length. */
async function refresh(path: string): Promise<void> {
	const file = await openJobFile(path);
	await file?.close();
}

/** Returns a function that removes the first `bytes` bytes from successive strings. The removed part must end with a complete character. */
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
