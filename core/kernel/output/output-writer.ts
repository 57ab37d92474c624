import type { CapturedOutput, EventBus, OutputChunkEntity, OutputType } from "../../contract/index.ts";
import { countNewlines } from "../../lib/bytes/count-newlines.ts";
import { findPooledText, withOwnedText, withPooledText } from "../../lib/bytes/pooled-text.ts";
import { findBlankRanges } from "../../lib/text-search/text-ranges.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { type ReleasedText, StreamRedactor } from "../../secrets/stream-redactor.ts";
import { assertOutput } from "../basics/plugin-results.ts";
import { publishOutput } from "../executions/execution-events.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import type { BulkOutput } from "./bulk-output.ts";
import { OutputCapture } from "./captured-output.ts";
import { countLineEnds } from "./line-selection.ts";
import { maxWriteLength, OutputBuffer, type OutputPiece } from "./output-buffer.ts";
import { countCharacters, toStoredChunk, withoutPooledText } from "./stored-chunks.ts";

/** Characters that may be buffered before `emit` makes the runner wait. */
const highWater = 1_048_576;
/** Milliseconds for which the first output is delayed. The output of a run that ends within that time is stored in the write of its end. */
const firstWriteDelayMs = 5;
/** Characters beyond which the first output is not delayed. A write of this many characters, or more, also counts as bulk output. */
const largeOutputLength = 16_384;
/** Characters in one write after which the next write is delayed, so that it is full: each write has a cost of its own. */
const delayingWriteLength = 65_536;
/** Milliseconds for which the write after such a write is delayed at most. */
const fullWriteDelayMs = 10;
const noOutput: CapturedOutput = { text: "", truncated: false, bytes: 0 };

type Writable<T> = { -readonly [M in keyof T]: T[M] };

export interface OutputWriterOptions {
	/** Stores chunks, and resolves when they are stored. If it rejects, the writer accepts no more output. */
	readonly store: (chunks: readonly OutputChunkEntity[]) => Promise<void>;
	readonly eventBus: EventBus;
	/** Notified of large writes. */
	readonly bulkOutput?: Pick<BulkOutput, "noteLargeWrite">;
	readonly executionId: string;
	readonly actionRef: string;
	readonly runnerRef: string;
	readonly createId: () => string;
	readonly timestamp: () => string;
	/** Maximum number of bytes captured for the result, for each output type. */
	readonly maxResultOutput: number;
	/** True if output is stored and streamed (`actionrunner.stream_output`). Otherwise it is only captured for the result. */
	readonly streamOutput: boolean;
	/** Secrets that are marked in the output. The token of the run is removed from it. */
	readonly secrets: Redactor;
	/** Output types that are secret as a whole, because their secret parts can be recognised only when the output is complete. */
	readonly secretOutput: readonly OutputType[];
}

/**
 * Writes the output of one run: it numbers chunks, stores them, then publishes them. It also captures output for the result of the run.
 *
 * Output passes three stages. The secret stream of its type holds back text that may be the beginning of a secret. The buffer holds output
 * that is not stored yet. A write takes at most 1,048,576 characters from the buffer, stores them as chunks and publishes these.
 *
 * The writer is in one of these states:
 *
 * - Before the first write. Up to 16,384 characters wait for 5 ms, because most runs are short: their output is then stored with their end,
 *   in one write.
 * - Idle: the buffer is empty. The next output starts a write.
 * - Writing. Output that arrives is the next write. So a single line is stored at once, and bulk output in large writes.
 * - Delayed, at most 10 ms after a write of 65,536 characters or more. The next write starts early if the buffer holds more than a full
 *   write.
 * - Finishing, after `finish`. No delay applies any more. It returns the last output, at most one write, and the caller stores it together
 *   with the end of the run. So no execution is final before its output is stored.
 * - Failed, after a write has failed or the run has lost its execution. `emit` and `finish` reject with the first error, and the buffer is
 *   discarded.
 *
 * At most one write is in flight. So chunks are stored and published in the order of their numbers, and a chunk is stored before it is
 * published. Followers rely on both (`OutputFollower`).
 *
 * Calls of `emit` may overlap. Each adds its text before it waits, so the order of calls is the order of output. A call waits while the
 * buffer holds more than 1,048,576 characters: that is the back-pressure for the runner. It continues when a write takes output from
 * the buffer, before the write has ended. So new output arrives for the next write.
 */
export class OutputWriter {
	readonly #options: OutputWriterOptions;
	/** Created when output of the type arrives: most runs print on one channel. */
	readonly #channels = new Map<OutputType, ChannelState>();
	readonly #buffer = new OutputBuffer();
	/** Secrets that are masked in all channels. */
	#secrets: Redactor;
	/** Line endings in the chunks so far, in total and by type. */
	readonly #lineEnds = { all: 0, stdout: 0, stderr: 0, other: 0 };
	#sequence = 0;
	#activeWrites: Promise<void> | undefined;
	#firstWriteTimer: NodeJS.Timeout | undefined;
	#failure: Error | undefined;
	/** True if the remaining output is left to the caller of `finish`. */
	#isFinishing = false;
	/** Ends the delay of the next write. */
	#endDelay: () => void = () => {};
	/** Buffered characters above which the delay ends. */
	#delayEndLength = 0;
	#hasEnded = false;
	/** Resolves when a write has taken output from the buffer; undefined if no call waits for that. */
	#drained: Promise<void> | undefined;
	#resolveDrained: () => void = () => {};

	constructor(options: OutputWriterOptions) {
		this.#options = options;
		this.#secrets = options.secrets;
	}

	/** Adds output. Resolves at once, or when a full buffer has been drained. Rejects with the first error of the writer. */
	async emit(type: OutputType, data: string): Promise<void> {
		if (this.#failure !== undefined) throw this.#failure;
		assertOutput(type, data);
		if (data === "") return;
		this.#add(type, this.#channelOf(type).stream.push(data));
		await this.#startOrAwaitWrite();
	}

	/** Adds output as bytes, each of them one ASCII character. The bytes are not used after the call has returned. */
	async emitBytes(type: OutputType, bytes: Uint8Array): Promise<void> {
		if (this.#failure !== undefined) throw this.#failure;
		assertOutput(type, "");
		const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		const { stream, capture } = this.#channelOf(type);
		const needsText = !this.#options.streamOutput || this.#options.secretOutput.includes(type) || !stream.mayPassUnchanged(text);
		if (needsText) return this.emit(type, text.toString("latin1"));
		capture.addBytes(text);
		this.#buffer.addBytes(type, text, this.#options.timestamp);
		await this.#startOrAwaitWrite();
	}

	/** Starts to write the buffer, unless its first write is delayed. Waits while the buffer is too full. */
	async #startOrAwaitWrite(): Promise<void> {
		if (this.#buffer.isEmpty || this.#isFirstWriteDelayed()) return;
		void this.#startWriting();
		if (this.#buffer.length > this.#delayEndLength) this.#endDelay();
		while (this.#buffer.length > highWater && this.#failure === undefined) await this.#waitUntilDrained();
		if (this.#failure !== undefined) throw this.#failure;
	}

	/** Returns the output of a type as captured for the result. */
	captured(type: OutputType): CapturedOutput {
		const channel = this.#channels.get(type);
		return channel === undefined ? noOutput : channel.capture.read(channel.stream.heldBack);
	}

	/** Continues after a chunk that an earlier process has stored. To be called before the first `emit`, for each chunk in order. */
	restore(chunk: Pick<OutputChunkEntity, "sequence" | "output_type" | "data" | "secret_spans">): void {
		const { output_type, data, sequence } = chunk;
		const ranges = chunk.secret_spans ?? [];
		const { stream, capture } = this.#channelOf(output_type);
		stream.restore(data);
		capture.add({ data, secretRanges: ranges, tokenRanges: findBlankRanges(data, ranges) });
		this.#sequence = sequence;
		this.#count(output_type, countLineEnds(data));
	}

	/** Replaces the secrets for later output. Output that is held back is first released with the earlier secrets. */
	setSecrets(secrets: Redactor): void {
		this.#releaseHeldBack(false);
		this.#secrets = secrets;
		for (const channel of this.#channels.values()) channel.stream = new StreamRedactor(secrets);
	}

	/**
	 * Stores all output but the last pieces, and returns these, for the caller to store with the end of the run. `willContinue`: true if
	 * another process will write the output that follows. Rejects with the first error of the writer.
	 */
	async finish({ willContinue = false }: { readonly willContinue?: boolean } = {}): Promise<readonly OutputChunk[]> {
		this.#releaseHeldBack(willContinue);
		this.#hasEnded = true;
		clearTimeout(this.#firstWriteTimer);
		this.#endDelay();
		while (this.#failure === undefined && (this.#activeWrites !== undefined || !this.#buffer.fitsOneWrite)) {
			this.#isFinishing = this.#buffer.fitsOneWrite;
			await this.#startWriting();
		}
		if (this.#failure !== undefined) throw this.#failure;
		return this.#takeChunks().map(withoutPooledText);
	}

	/** Discards the buffer and refuses all further output, because a write has failed or the run has lost its execution. */
	fail(error: Error): void {
		this.#failure ??= error;
		clearTimeout(this.#firstWriteTimer);
		this.#buffer.clear();
		this.#resolveDrained();
		this.#endDelay();
	}

	#add(type: OutputType, released: ReleasedText): void {
		if (released.data === "") return;
		this.#channelOf(type).capture.add(released);
		if (this.#options.streamOutput) this.#buffer.add(type, released, this.#options.timestamp);
	}

	/** Adds the output that was held back as the possible beginning of a secret. */
	#releaseHeldBack(goesOn: boolean): void {
		for (const [type, { stream }] of this.#channels) this.#add(type, stream.end({ goesOn }));
	}

	#channelOf(type: OutputType): ChannelState {
		const existing = this.#channels.get(type);
		if (existing !== undefined) return existing;
		const channel = { stream: new StreamRedactor(this.#secrets), capture: new OutputCapture(this.#options.maxResultOutput) };
		this.#channels.set(type, channel);
		return channel;
	}

	/** Returns true if the buffer holds only a little output, the first of the run. A timer then starts the write, unless the run ends. */
	#isFirstWriteDelayed(): boolean {
		if (this.#sequence > 0 || this.#activeWrites !== undefined || this.#hasEnded) return false;
		if (this.#buffer.length > largeOutputLength) {
			clearTimeout(this.#firstWriteTimer);
			return false;
		}
		this.#firstWriteTimer ??= setTimeout(() => void this.#startWriting(), firstWriteDelayMs);
		return true;
	}

	/** Removes output from the buffer, for one write. */
	#takeChunks(): OutputChunk[] {
		const pieces = this.#buffer.take();
		this.#resolveDrained();
		return pieces.map((piece) => this.#toChunk(piece));
	}

	/**
	 * Waits until a write has taken output from the buffer. Waiting for the end of all writes would keep back the output that the delayed
	 * next write waits for.
	 */
	#waitUntilDrained(): Promise<void> {
		this.#drained ??= new Promise((resolve) => {
			this.#resolveDrained = () => {
				this.#drained = undefined;
				resolve();
			};
		});
		void this.#startWriting();
		return this.#drained;
	}

	#toChunk(piece: OutputPiece): OutputChunk {
		const { createId, executionId, actionRef, runnerRef, secretOutput } = this.#options;
		const { type, timestamp, paged } = piece;
		this.#sequence += 1;
		const { all: lines_before, [type]: own_lines_before } = this.#lineEnds;
		// All members are set at once: adding some to a copy takes longer than the rest of this function.
		const chunk: Writable<OutputChunk> = {
			id: createId(),
			execution_id: executionId,
			sequence: this.#sequence,
			output_type: type,
			timestamp,
			data: "",
			secret_spans: null,
			lines_before,
			own_lines_before,
			action_ref: actionRef,
			runner_ref: runnerRef,
		};
		if (paged !== undefined) {
			this.#count(type, countNewlines(paged.bytes));
			return withPooledText(chunk, paged);
		}
		const { data } = piece;
		const ranges = secretOutput.includes(type) ? [0, data.length] : piece.ranges;
		this.#count(type, countLineEnds(data));
		chunk.data = data;
		if (ranges.length > 0) chunk.secret_spans = ranges;
		return chunk;
	}

	#count(type: OutputType, lineEnds: number): void {
		this.#lineEnds.all += lineEnds;
		this.#lineEnds[type] += lineEnds;
	}

	/** Writes until the buffer is empty, the writer has failed, or `finish` takes the remaining output. */
	async #writeAll(): Promise<void> {
		const { store, eventBus, bulkOutput } = this.#options;
		// The run may end in the next turn of the event loop. Its output is then stored with the end, in one write.
		if (this.#sequence > 0) await new Promise((resolve) => setImmediate(resolve));
		while (!this.#buffer.isEmpty && this.#failure === undefined && !this.#isFinishing) {
			const chunks = this.#takeChunks();
			const length = countCharacters(chunks);
			if (length >= largeOutputLength) bulkOutput?.noteLargeWrite();
			try {
				await store(chunks.map(toStoredChunk));
				for (const chunk of chunks) publishOutput(eventBus, eventBus.capabilities.direct === true ? chunk : withOwnedText(chunk));
			} finally {
				for (const chunk of chunks) findPooledText(chunk)?.release();
			}
			if (length >= delayingWriteLength) await this.#delayNextWrite(fullWriteDelayMs, maxWriteLength);
		}
	}

	/** Waits until the buffer holds more than `enoughLength` characters, the time has passed, or the run has ended. */
	async #delayNextWrite(delayMs: number, enoughLength: number): Promise<void> {
		if (this.#hasEnded || this.#failure !== undefined || this.#buffer.length > enoughLength) return;
		this.#delayEndLength = enoughLength;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, delayMs);
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

/** State of one output type. */
interface ChannelState {
	stream: StreamRedactor;
	readonly capture: OutputCapture;
}
