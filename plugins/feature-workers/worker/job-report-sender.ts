import { type CapturedOutput, isSvcError, type JsonObject, type OutputType, SvcError } from "../../../core/contract/index.ts";
import { OutputCapture, settledWithin, wait } from "../../../core/feature.ts";
import type { WorkerEnd, WorkerPiece } from "../workers-exports.ts";
import type { ServiceClient } from "./service-client.ts";

/** Number of unsent characters from which `emit` makes the runner wait. */
const highWater = 1_048_576;
/** Maximum characters and output chunks of one request. A character takes at most six bytes in JSON. */
const maxCharacters = 131_072;
const maxPieces = 1_000;
/**
 * Milliseconds for which output is collected, and number of characters that are sent at once. The output of a short run is sent with its
 * result.
 */
const gatherTime = 20;
const enough = 16_384;
/**
 * Milliseconds between attempts. `roomPause` applies if the service cannot store more output now. If the service is unavailable, the pause
 * doubles from `firstPause` to `maxPause`.
 */
const roomPause = 200;
const firstPause = 100;
const maxPause = 2_000;

/** Error codes that may be temporary, so that the request is repeated. */
const passing = ["SVC_UNAVAILABLE", "SVC_UNAUTHORIZED", "SVC_FORBIDDEN"] as const;

/** Result of a run, without the fields of the request such as the sequence number. */
export type RunEnd = Pick<WorkerEnd, "succeeded" | "result"> & Partial<Pick<WorkerEnd, "status" | "error">>;

/**
 * Sends the output of one run to the service in order, then its result, one request at a time. A request is repeated with the same sequence
 * number until the service accepts it or refuses it permanently. The service stores a repeated request only once.
 */
export class JobReportSender {
	readonly #connection: Pick<ServiceClient, "post">;
	readonly #job: { readonly id: string; readonly fence: string };
	readonly #captured: Readonly<Record<OutputType, OutputCapture>>;
	/** Aborted once the run no longer belongs to this worker. Nothing is sent afterwards. */
	readonly #given: AbortSignal;
	#waiting: WorkerPiece[] = [];
	#length = 0;
	#sequence = 0;
	#sending: Promise<void> | undefined;
	#failure: Error | undefined;
	#isEnding = false;
	/** Stops collecting output, so that it is sent at once. */
	#hurry: () => void = () => {};

	constructor(
		connection: Pick<ServiceClient, "post">,
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

	/** Sends the remaining output and the result. Resolves once the service has stored them or has refused them permanently. */
	async end(end: RunEnd): Promise<void> {
		this.#isEnding = true;
		this.#hurry();
		while (this.#failure === undefined && (this.#sending !== undefined || !this.#isShort())) await this.#start();
		if (this.#failure !== undefined && isSvcError(this.#failure, "SVC_CONFLICT")) return;
		const body = { fence: this.#job.fence, sequence: this.#sequence + 1, pieces: this.#take(), ...end };
		await this.#insist("end", body).catch(async (error: unknown) => {
			if (isNotWanted(error) || this.#given.aborted) return;
			// The service would refuse the same result again, so send a failure instead. Otherwise the execution would never end.
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

	/** Splits long text into parts, so that each fits into a request. Never splits a surrogate pair. */
	#add(type: OutputType, data: string): void {
		this.#length += data.length;
		for (let start = 0; start < data.length; ) {
			let end = Math.min(start + maxCharacters, data.length);
			if (end < data.length && isHighSurrogate(data.charCodeAt(end - 1))) end -= 1;
			const part = data.slice(start, end);
			const last = this.#waiting.at(-1);
			if (last?.type === type && last.data.length + part.length <= maxCharacters)
				this.#waiting[this.#waiting.length - 1] = { type, data: last.data + part };
			else this.#waiting.push({ type, data: part });
			start = end;
		}
	}

	#take(): readonly WorkerPiece[] {
		let count = 0;
		for (let length = 0; count < Math.min(this.#waiting.length, maxPieces); count += 1) {
			length += this.#waiting[count]?.data.length ?? 0;
			if (length > maxCharacters && count > 0) break;
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

	/** Returns true if the unsent output fits into the request with the result. */
	#isShort(): boolean {
		return this.#length <= maxCharacters && this.#waiting.length <= maxPieces;
	}

	/**
	 * Repeats a request until the service answers, as long as the run belongs to this worker. Also repeats it after a refusal of the API key,
	 * which may be temporary. If the worker gave up, the service would assign to it again a run that it has already carried out.
	 */
	async #insist<T>(verb: string, body: object, isFinal = isRefusal): Promise<T> {
		for (let pause = firstPause; ; pause = Math.min(pause * 2, maxPause)) {
			if (this.#given.aborted) throw new SvcError("SVC_CONFLICT", "the run is no longer assigned to this worker");
			try {
				return await this.#connection.post<T>(`/workers/jobs/${this.#job.id}/${verb}`, body as JsonObject, this.#given);
			} catch (error) {
				if (isFinal(error)) throw error;
				await wait(pause, this.#given);
			}
		}
	}
}

/** Returns true if the run no longer belongs to this worker. */
function isNotWanted(error: unknown): boolean {
	return isSvcError(error, "SVC_CONFLICT") && error.facts["foreign"] !== true;
}

/** Returns true for a permanent refusal: by the service itself, or by a proxy that rejects the body as too large or invalid. */
function isRefusal(error: unknown): boolean {
	if (passing.some((code) => isSvcError(error, code))) return false;
	return !isSvcError(error) || error.facts["foreign"] !== true || error.code === "SVC_TOO_LARGE" || error.code === "SVC_INVALID";
}

function isHighSurrogate(code: number): boolean {
	return code >= 0xd800 && code <= 0xdbff;
}
