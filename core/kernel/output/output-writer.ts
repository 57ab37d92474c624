import type { CapturedOutput, OutputChunkEntity, OutputType } from "../../contract/index.ts";
import { countNewlines } from "../../lib/bytes/count-newlines.ts";
import { attachPooledText, findPooledText, withOwnedText } from "../../lib/bytes/pooled-text.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { ReleasedText } from "../../secrets/stream-redactor.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { createId } from "../basics/ids.ts";
import { assertEmittedOutput } from "../basics/plugin-results.ts";
import { publishOutput } from "../executions/execution-events.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import type { BulkOutputDetector } from "./bulk-output-detector.ts";
import { type ChunkAssembler, maxWriteLength, type OutputPiece, PooledChunkAssembler } from "./chunk-assembler.ts";
import { countLineEnds } from "./line-selection.ts";
import { OutputChannels } from "./output-channels.ts";
import { toStoredChunk, withoutPooledText } from "./stored-chunk-queries.ts";

/** Number of buffered characters above which `emit` makes the runner wait. */
const highWater = 1_048_576;
/**
 * Milliseconds for which the first write is delayed. The output of a run that ends within this time is stored in the same write as its end.
 */
const firstWriteDelayMs = 5;
/** Number of characters above which the first write is not delayed. A write of at least this length also counts as bulk output. */
const largeOutputLength = 16_384;
/** Minimum number of characters in a write that delays the next write, so that the next write is larger: each write has a fixed cost. */
const delayingWriteLength = 65_536;
/** Maximum milliseconds for which a write is delayed after a write of at least `delayingWriteLength` characters. */
const fullWriteDelayMs = 10;

export interface OutputWriterDependencies extends Uses<"eventBus" | "clock"> {
	/** Stores chunks, and resolves when they are stored. If it rejects, the writer accepts no more output. */
	readonly store: (chunks: readonly OutputChunkEntity[]) => Promise<void>;
	readonly bulkOutput?: Pick<BulkOutputDetector, "noteLargeWrite">;
	readonly executionId: string;
	readonly actionRef: string;
	readonly runnerRef: string;
	/** Maximum number of bytes captured for the result, for each output type. */
	readonly maxResultOutput: number;
	/** True if output is stored and streamed (`actionrunner.stream_output`). Otherwise it is only captured for the result. */
	readonly streamOutput: boolean;
	/** Secrets whose positions are recorded with the output. The token of the run is removed from the output. */
	readonly secrets: Redactor;
	/** Output types whose whole output is marked as secret, because its secret parts can be recognised only when the output is complete. */
	readonly secretOutput: readonly OutputType[];
	/** Assembles chunks. Default: `PooledChunkAssembler`; tests replace it. */
	readonly assembler?: ChunkAssembler;
}

/**
 * Writes the output of one run: it numbers chunks, stores them, then publishes them. It also captures output for the result of the run.
 *
 * Output passes three stages. The channel of its type holds back text that may be the beginning of a secret. The assembler buffers output
 * that is not stored yet. A write takes at most 1,048,576 characters from the buffer, stores them as chunks and publishes these.
 *
 * The writer is in one of these states:
 *
 * - Before the first write. Up to 16,384 characters wait for 5 ms, because most runs are short: their output is then stored with their end,
 *   in one write.
 * - Idle: the buffer is empty. The next output starts a write.
 * - Writing. Output that arrives meanwhile becomes the next write. So a single line is stored at once, and bulk output in large writes.
 * - Delayed: for at most 10 ms after a write of 65,536 characters or more. The next write starts early if the buffer holds more than a full
 *   write.
 * - Finishing: `finish` was called, and no delay applies any more. `finish` returns the last output, at most one write, and the caller
 *   stores it together with the end of the run. So no execution is final before its output is stored.
 * - Failed: a write has failed, or the run has lost its execution. `emit` and `finish` reject with the first error, and the buffer is
 *   discarded.
 *
 * At most one write is in flight. So chunks are stored and published in the order of their numbers, and a chunk is stored before it is
 * published. Followers rely on both (`HubFollower`).
 *
 * Calls of `emit` may overlap. Each adds its text before it waits, so the order of calls is the order of output. A call waits while the
 * buffer holds more than 1,048,576 characters: that is the back-pressure for the runner. It continues when a write takes output from the
 * buffer, before that write has ended, so that output for the next write arrives.
 */
export class OutputWriter {
	readonly #options: OutputWriterDependencies;
	readonly #channels: OutputChannels;
	readonly #assembler: ChunkAssembler;
	/** Line endings in the chunks so far, in total and by type. */
	readonly #lineEnds = { all: 0, stdout: 0, stderr: 0, other: 0 };
	#sequence = 0;
	#activeWrites: Promise<void> | undefined;
	#firstWriteTimer: NodeJS.Timeout | undefined;
	#failure: Error | undefined;
	/** True once the remaining output is at most one write, which the caller of `finish` stores. */
	#isFinishing = false;
	#hasEnded = false;
	/** Ends the delay of the next write. */
	#endDelay: () => void = () => {};
	/** Calls of `emit` that wait until a write has taken output from the buffer. */
	readonly #waitingEmits: (() => void)[] = [];

	constructor(options: OutputWriterDependencies) {
		this.#options = options;
		this.#channels = new OutputChannels(options.secrets, options.maxResultOutput);
		this.#assembler = options.assembler ?? new PooledChunkAssembler(options.clock);
	}

	/** Adds output. Resolves at once, or when a full buffer has been drained. Rejects with the first error of the writer. */
	async emit(type: OutputType, data: string): Promise<void> {
		if (this.#failure !== undefined) throw this.#failure;
		assertEmittedOutput(type, data);
		if (data === "") return;
		this.#buffer(type, this.#channels.add(type, data));
		await this.#startOrAwaitWrite();
	}

	/** Adds output as bytes, each of which is one ASCII character. The bytes are not used after the call has returned. */
	async emitBytes(type: OutputType, bytes: Uint8Array): Promise<void> {
		if (this.#failure !== undefined) throw this.#failure;
		assertEmittedOutput(type, "");
		if (bytes.length === 0) return;
		const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		const { streamOutput, secretOutput } = this.#options;
		const canStayBytes = streamOutput && !secretOutput.includes(type) && this.#channels.addBytes(type, text);
		if (!canStayBytes) return this.emit(type, text.toString("latin1"));
		this.#assembler.addBytes(type, text);
		await this.#startOrAwaitWrite();
	}

	/** Starts to write the buffer, unless the first write is delayed. Waits while the buffer holds more than `highWater` characters. */
	async #startOrAwaitWrite(): Promise<void> {
		if (this.#assembler.length === 0 || this.#isFirstWriteDelayed()) return;
		void this.#startWriting();
		if (this.#assembler.length > maxWriteLength) this.#endDelay();
		while (this.#assembler.length > highWater && this.#failure === undefined) await this.#waitUntilDrained();
		if (this.#failure !== undefined) throw this.#failure;
	}

	/** Returns the output of a type that was captured for the result. */
	captured(type: OutputType): CapturedOutput {
		return this.#channels.captured(type);
	}

	/**
	 * Restores the state after a chunk that an earlier process has stored. Must be called for each stored chunk in order, before the first
	 * `emit`.
	 */
	restore(chunk: Pick<OutputChunkEntity, "sequence" | "output_type" | "data" | "secret_spans">): void {
		this.#channels.restore(chunk);
		this.#sequence = chunk.sequence;
		this.#count(chunk.output_type, countLineEnds(chunk.data));
	}

	/** Replaces the secrets for later output. Output that is held back is first released with the earlier secrets. */
	setSecrets(secrets: Redactor): void {
		this.#releaseHeldBack(false);
		this.#channels.setSecrets(secrets);
	}

	/**
	 * Stores all output but the last chunks, and returns these. The caller must store them together with the end of the run. `willContinue`:
	 * true if another process will continue the output. Rejects with the first error of the writer.
	 */
	async finish({ willContinue = false }: { readonly willContinue?: boolean } = {}): Promise<readonly OutputChunk[]> {
		this.#releaseHeldBack(willContinue);
		this.#hasEnded = true;
		clearTimeout(this.#firstWriteTimer);
		this.#endDelay();
		while (this.#failure === undefined && (this.#activeWrites !== undefined || this.#assembler.length > maxWriteLength)) {
			this.#isFinishing = this.#assembler.length <= maxWriteLength;
			await this.#startWriting();
		}
		if (this.#failure !== undefined) throw this.#failure;
		return this.#takeChunks().map(withoutPooledText);
	}

	/** Discards the buffer and refuses all further output, because a write has failed or the run has lost its execution. */
	fail(error: Error): void {
		this.#failure ??= error;
		clearTimeout(this.#firstWriteTimer);
		this.#assembler.clear();
		this.#resumeEmits();
		this.#endDelay();
	}

	#buffer(type: OutputType, released: ReleasedText): void {
		if (released.data !== "" && this.#options.streamOutput) this.#assembler.add(type, released);
	}

	/** Adds to the buffer the output that was held back because it might be the beginning of a secret. */
	#releaseHeldBack(willContinue: boolean): void {
		for (const [type, released] of this.#channels.end({ willContinue })) this.#buffer(type, released);
	}

	/**
	 * Returns true if the buffer holds only a little output, the first of the run. A timer then starts the first write, unless the run ends
	 * before.
	 */
	#isFirstWriteDelayed(): boolean {
		if (this.#sequence > 0 || this.#activeWrites !== undefined || this.#hasEnded) return false;
		if (this.#assembler.length > largeOutputLength) {
			clearTimeout(this.#firstWriteTimer);
			return false;
		}
		this.#firstWriteTimer ??= setTimeout(() => void this.#startWriting(), firstWriteDelayMs);
		return true;
	}

	/** Removes the output of one write from the buffer, and returns its chunks. */
	#takeChunks(): OutputChunk[] {
		const pieces = this.#assembler.take();
		this.#resumeEmits();
		return pieces.map((piece) => this.#toChunk(piece));
	}

	/**
	 * Waits until a write has taken output from the buffer. It must not wait for the end of all writes: a delayed write waits for output that
	 * is emitted only after this wait.
	 */
	#waitUntilDrained(): Promise<void> {
		const drained = new Promise<void>((resolve) => this.#waitingEmits.push(resolve));
		void this.#startWriting();
		return drained;
	}

	#resumeEmits(): void {
		for (const resume of this.#waitingEmits.splice(0)) resume();
	}

	#toChunk({ type, timestamp, data, ranges, pooled }: OutputPiece): OutputChunk {
		const { clock, executionId, actionRef, runnerRef, secretOutput } = this.#options;
		this.#sequence += 1;
		const { all: lines_before, [type]: own_lines_before } = this.#lineEnds;
		this.#count(type, pooled === undefined ? countLineEnds(data) : countNewlines(pooled.bytes));
		const secretRanges = secretOutput.includes(type) ? [0, data.length] : ranges;
		// Set all members at once: adding some of them to a copy takes longer than the rest of this function.
		const chunk: OutputChunk = {
			id: createId(clock),
			execution_id: executionId,
			sequence: this.#sequence,
			output_type: type,
			timestamp,
			data,
			secret_spans: secretRanges.length > 0 ? secretRanges : null,
			lines_before,
			own_lines_before,
			action_ref: actionRef,
			runner_ref: runnerRef,
		};
		return pooled === undefined ? chunk : attachPooledText(chunk, pooled);
	}

	#count(type: OutputType, lineEnds: number): void {
		this.#lineEnds.all += lineEnds;
		this.#lineEnds[type] += lineEnds;
	}

	/** Writes until the buffer is empty, the writer has failed, or `finish` takes the remaining output. */
	async #writeAll(): Promise<void> {
		const { store, eventBus, bulkOutput } = this.#options;
		// Wait one turn of the event loop: if the run ends in it, its output is stored together with the end, in one write.
		if (this.#sequence > 0) await new Promise((resolve) => setImmediate(resolve));
		while (this.#assembler.length > 0 && this.#failure === undefined && !this.#isFinishing) {
			const bufferedLength = this.#assembler.length;
			const chunks = this.#takeChunks();
			const length = bufferedLength - this.#assembler.length;
			if (length >= largeOutputLength) bulkOutput?.noteLargeWrite();
			try {
				await store(chunks.map(toStoredChunk));
				for (const chunk of chunks) publishOutput(eventBus, eventBus.capabilities.direct === true ? chunk : withOwnedText(chunk));
			} finally {
				for (const chunk of chunks) findPooledText(chunk)?.release();
			}
			if (length >= delayingWriteLength) await this.#delayNextWrite();
		}
	}

	/** Waits until the buffer holds more than one full write, 10 ms have passed, or the run has ended. */
	async #delayNextWrite(): Promise<void> {
		if (this.#hasEnded || this.#failure !== undefined || this.#assembler.length > maxWriteLength) return;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, fullWriteDelayMs);
			this.#endDelay = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}

	/** Starts to write unless writes are active. Resolves when they have ended. Never rejects: an error fails the writer. */
	#startWriting(): Promise<void> {
		this.#activeWrites ??= this.#writeAll()
			.catch((error: unknown) => this.fail(error instanceof Error ? error : new Error(String(error))))
			.finally(() => {
				this.#activeWrites = undefined;
			});
		return this.#activeWrites;
	}
}
