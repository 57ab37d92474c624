import { type CapturedOutput, isSvcError, type JsonObject, type OutputType, SvcError } from "../../contract/index.ts";
import type { WorkerEnd, WorkerPiece } from "../../features/workers/workers-api.ts";
import { OutputCapture } from "../../kernel/output/captured-output.ts";
import { settledWithin, wait } from "../../lib/wait.ts";
import type { Connection } from "./connection.ts";

/** Characters that may wait for the line before `emit` makes the runner wait. */
const highWater = 1_048_576;
/** Characters in one request, each of which is six bytes of JSON at most, and pieces. */
const mostCharacters = 131_072;
const mostPieces = 1_000;
/** Milliseconds for which output is gathered before it is sent, and characters that are enough: what a short run prints goes with its end. */
const gatherTime = 20;
const enough = 16_384;
/** Milliseconds between tries: where there is no room, and where the line is cut, the longer the more often. */
const roomPause = 200;
const firstPause = 100;
const longestPause = 2_000;

/** What a later try may be spared. */
const passing = ["SVC_UNAVAILABLE", "SVC_UNAUTHORIZED", "SVC_FORBIDDEN"] as const;

/** What of an end a run says itself. */
export type RunEnd = Pick<WorkerEnd, "succeeded" | "result"> & Partial<Pick<WorkerEnd, "status" | "error">>;

/**
 * What one run hands over to the service: its output in order, and its end. One request is under way at a time, which is sent again under
 * the same number until it is answered, so that the service stores it once whatever becomes of answers.
 */
export class Uplink {
	readonly #connection: Pick<Connection, "post">;
	readonly #job: { readonly id: string; readonly fence: string };
	readonly #captured: Readonly<Record<OutputType, OutputCapture>>;
	/** Nothing is sent any more once this has aborted: the run is not the worker's. */
	readonly #given: AbortSignal;
	#waiting: WorkerPiece[] = [];
	#length = 0;
	#sequence = 0;
	#sending: Promise<void> | undefined;
	#failure: Error | undefined;
	#isEnding = false;
	/** Ends the time in which output is gathered. */
	#hurry: () => void = () => {};

	constructor(
		connection: Pick<Connection, "post">,
		job: { readonly id: string; readonly fence: string },
		{ maxResultOutput, signal }: { readonly maxResultOutput: number; readonly signal: AbortSignal },
	) {
		this.#connection = connection;
		this.#job = job;
		this.#given = signal;
		const toCapture = () => new OutputCapture(maxResultOutput);
		this.#captured = { stdout: toCapture(), stderr: toCapture(), other: toCapture() };
	}

	async emit(type: OutputType, data: string): Promise<void> {
		if (this.#failure !== undefined) throw this.#failure;
		if (data === "") return;
		this.#captured[type].add({ data, secretRanges: [], tokenRanges: [] });
		this.#add(type, data);
		void this.#start();
		if (this.#length >= enough) this.#hurry();
		while (this.#length > highWater && this.#failure === undefined) await this.#start();
		if (this.#failure !== undefined) throw this.#failure;
	}

	captured(type: OutputType): CapturedOutput {
		return this.#captured[type].read({ data: "", secretRanges: [], tokenRanges: [] });
	}

	/** Hand over what is left, and the end; resolves when the service has it, or does not want it any more. */
	async end(end: RunEnd): Promise<void> {
		this.#isEnding = true;
		this.#hurry();
		while (this.#failure === undefined && (this.#sending !== undefined || !this.#isShort())) await this.#start();
		if (this.#failure !== undefined && isSvcError(this.#failure, "SVC_CONFLICT")) return;
		const body = { fence: this.#job.fence, sequence: this.#sequence + 1, pieces: this.#take(), ...end };
		await this.#insist("end", body).catch(async (error: unknown) => {
			if (isNotWanted(error) || this.#given.aborted) return;
			// What the service refuses it will refuse again: the run must not wait for its end for ever.
			const refused = {
				...body,
				pieces: [],
				succeeded: false,
				result: {},
				error: `the service refused the end of the run: ${String(error)}`,
			};
			await this.#insist("end", refused, isNotWanted).catch(() => undefined);
		});
	}

	/** Long texts in parts, so that each fits a request; no character is cut. */
	#add(type: OutputType, data: string): void {
		this.#length += data.length;
		for (let start = 0; start < data.length; ) {
			let end = Math.min(start + mostCharacters, data.length);
			if (end < data.length && isHighSurrogate(data.charCodeAt(end - 1))) end -= 1;
			const part = data.slice(start, end);
			const last = this.#waiting.at(-1);
			if (last?.type === type && last.data.length + part.length <= mostCharacters)
				this.#waiting[this.#waiting.length - 1] = { type, data: last.data + part };
			else this.#waiting.push({ type, data: part });
			start = end;
		}
	}

	#take(): readonly WorkerPiece[] {
		let count = 0;
		for (let length = 0; count < Math.min(this.#waiting.length, mostPieces); count += 1) {
			length += this.#waiting[count]?.data.length ?? 0;
			if (length > mostCharacters && count > 0) break;
		}
		const taken = this.#waiting.slice(0, count);
		this.#waiting = this.#waiting.slice(count);
		this.#length -= taken.reduce((sum, { data }) => sum + data.length, 0);
		return taken;
	}

	#start(): Promise<void> {
		this.#sending ??= this.#sendAll()
			.catch((error: unknown) => {
				this.#failure ??= error instanceof Error ? error : new Error(String(error));
			})
			.finally(() => {
				this.#sending = undefined;
			});
		return this.#sending;
	}

	async #sendAll(): Promise<void> {
		await this.#gather();
		while (this.#waiting.length > 0 && !(this.#isEnding && this.#isShort())) {
			const pieces = this.#take();
			const body = { fence: this.#job.fence, sequence: this.#sequence + 1, pieces };
			while (!(await this.#insist<{ readonly stored: boolean }>("output", body)).stored) await wait(roomPause, this.#given);
			this.#sequence += 1;
		}
	}

	async #gather(): Promise<void> {
		if (this.#isEnding || this.#length >= enough) return;
		const hurried = new Promise<void>((resolve) => {
			this.#hurry = resolve;
		});
		await settledWithin(hurried, gatherTime);
	}

	/** Whether what waits fits the request with the end. */
	#isShort(): boolean {
		return this.#length <= mostCharacters && this.#waiting.length <= mostPieces;
	}

	/**
	 * Ask until the service answers, for as long as the run is this worker's. A key that it refuses may be good again soon, as for requests
	 * for work: who gave up here would be offered what it has run already.
	 */
	async #insist<T>(verb: string, body: object, isFinal = isRefusal): Promise<T> {
		for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
			if (this.#given.aborted) throw new SvcError("SVC_CONFLICT", "the run is not this worker's any more");
			try {
				return await this.#connection.post<T>(`/workers/jobs/${this.#job.id}/${verb}`, body as JsonObject, this.#given);
			} catch (error) {
				if (isFinal(error)) throw error;
				await wait(pause, this.#given);
			}
		}
	}
}

/** The run is not this worker's any more. */
function isNotWanted(error: unknown): boolean {
	return isSvcError(error, "SVC_CONFLICT") && error.facts["foreign"] !== true;
}

/** What the service says itself, or whoever stands before it of a body that is too much for it, stays so. */
function isRefusal(error: unknown): boolean {
	if (passing.some((code) => isSvcError(error, code))) return false;
	return !isSvcError(error) || error.facts["foreign"] !== true || error.code === "SVC_TOO_LARGE" || error.code === "SVC_INVALID";
}

function isHighSurrogate(code: number): boolean {
	return code >= 0xd800 && code <= 0xdbff;
}
