import { type JsonObject, type JsonValue, type OutputType, toErrorMessage } from "../../../core/contract/index.ts";
import { toTimestamp } from "../../../core/feature.ts";

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

/** Maximum number of characters of a line that a program prints; the remainder is cut off. */
const maxLineLength = 4_000;

/** Progress of a job: written to the output of the execution, and collected for its result. */
export class JobReport {
	/** Refs of the packs that the job has processed. */
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

	/** Writes a line of the job to the output. */
	async say(line: string): Promise<void> {
		await this.#parts.emit("stdout", `${line}\n`);
	}

	/** Writes the output of a program that the job runs, indented by four spaces. */
	async pass(type: OutputType, text: string): Promise<void> {
		if (text === "") return;
		const lines = text.replace(/\n$/, "").split("\n");
		await this.#parts.emit(type, lines.map((line) => `    ${line.slice(0, maxLineLength)}\n`).join(""));
	}

	/** Writes an indented line without waiting. */
	note(line: string): void {
		// Ignore errors: if the output can no longer be written, the job ends for that reason anyway.
		void this.pass("stdout", line).catch(() => undefined);
	}

	async warn(warning: string): Promise<void> {
		this.warnings.push(warning);
		await this.#parts.emit("stderr", `warning: ${warning}\n`);
	}

	/** Runs one step of the job and records its outcome. Does not start the step if the job is aborted. Rejects as `work` does. */
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

	/** Adds members to the output in the result. */
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
