import type { JsonObject, JsonValue, OutputType } from "../../../contract/index.ts";
import { toErrorMessage } from "../../../contract/index.ts";
import { toTimestamp } from "../../../kernel/basics/clock.ts";

export interface JobReportOptions {
	readonly now: () => number;
	readonly signal: AbortSignal;
	emit(type: OutputType, text: string): Promise<void>;
}

type Task = {
	readonly name: string;
	readonly state: string;
	readonly created_at: string;
	readonly updated_at: string;
	readonly result: JsonObject;
};

/** Longest line of what others print. */
const longestLine = 4_000;

/** What a job has done so far: told to whoever follows it, and kept for its result. */
export class JobReport {
	/** Refs of the packs it is about. */
	readonly packs: string[] = [];
	readonly warnings: string[] = [];
	readonly conflicts: string[] = [];
	readonly #parts: JobReportOptions;
	readonly #tasks: Task[] = [];
	#details: JsonObject = {};

	constructor(parts: JobReportOptions) {
		this.#parts = parts;
	}

	get signal(): AbortSignal {
		return this.#parts.signal;
	}

	/** A line of the job itself. */
	async say(line: string): Promise<void> {
		await this.#parts.emit("stdout", `${line}\n`);
	}

	/** What a program prints that works for the job. */
	async pass(type: OutputType, text: string): Promise<void> {
		if (text === "") return;
		const lines = text.replace(/\n$/, "").split("\n");
		await this.#parts.emit(type, lines.map((line) => `    ${line.slice(0, longestLine)}\n`).join(""));
	}

	/** A line of somebody who does not wait until it is told. */
	note(line: string): void {
		// Where nothing can be told any more the job ends by itself.
		void this.pass("stdout", line).catch(() => undefined);
	}

	async warn(warning: string): Promise<void> {
		this.warnings.push(warning);
		await this.#parts.emit("stderr", `warning: ${warning}\n`);
	}

	/** One step of the job: not begun when it is to end, and noted with how it went. */
	async task<T>(name: string, work: () => Promise<T>): Promise<T> {
		this.signal.throwIfAborted();
		const created_at = toTimestamp(this.#parts.now());
		const note = (state: string, result: JsonObject) =>
			this.#tasks.push({ name, state, created_at, updated_at: toTimestamp(this.#parts.now()), result });
		await this.say(name);
		try {
			const result = await work();
			note("succeeded", {});
			return result;
		} catch (error) {
			note(this.signal.aborted ? "canceled" : "failed", { error: toErrorMessage(error) });
			throw error;
		}
	}

	/** More that the result is to hold. */
	add(details: JsonObject): void {
		this.#details = { ...this.#details, ...details };
	}

	toResult(): JsonObject {
		return {
			output: {
				packs_list: this.packs as readonly JsonValue[],
				warning_list: this.warnings as readonly JsonValue[],
				conflict_list: this.conflicts as readonly JsonValue[],
				...this.#details,
			},
			tasks: this.#tasks as readonly JsonValue[],
		} as JsonObject;
	}
}
