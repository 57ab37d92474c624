import type { CapturedOutput, EventBus, OutputChunkEntity, OutputType } from "../../contract/index.ts";
import { countLineEndsIn } from "../../lib/bytes/count-newlines.ts";
import { findPagedText, withOwnText, withPagedText } from "../../lib/bytes/pooled-text.ts";
import { findBlanks } from "../../lib/text-search/text-ranges.ts";
import { maskRanges } from "../../secrets/mask-ranges.ts";
import type { KnownSecrets } from "../../secrets/redactor.ts";
import { type Released, SecretStream } from "../../secrets/stream-redactor.ts";
import { assertOutput } from "../basics/plugin-results.ts";
import { publishOutput } from "../executions/execution-events.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import type { Floods } from "./bulk-output.ts";
import { CapturedText } from "./captured-output.ts";
import { countLineEnds } from "./line-selection.ts";
import { type Piece, WaitingOutput, writeLength } from "./output-buffer.ts";
import { lengthOf, toOwn, toStoredChunk } from "./stored-chunks.ts";

/** Characters that may wait for the store before `emit` makes the runner wait. */
const highWater = 1_048_576;
/** Milliseconds for which the first output of a run waits for its end: that of a short run is then stored with it, in one write. */
const firstWait = 5;
/** Characters of it that do not wait. */
const muchText = 16_384;
/** Characters in one write after which there is a flood, and milliseconds for which the next write then waits until it is full: each has its price. */
const floodLength = 65_536;
const floodWait = 10;
const nothing: CapturedOutput = { text: "", truncated: false, bytes: 0 };

type Writable<T> = { -readonly [M in keyof T]: T[M] };

export interface RecorderOptions {
	/** Resolves when the chunks are stored. A failure is the end of the run's output. */
	readonly store: (chunks: readonly OutputChunkEntity[]) => Promise<void>;
	readonly eventBus: EventBus;
	/** Told where there is much to store. */
	readonly floods?: Pick<Floods, "note">;
	readonly executionId: string;
	readonly actionRef: string;
	readonly runnerRef: string;
	readonly createId: () => string;
	readonly timestamp: () => string;
	readonly maxResultOutput: number;
	/** Whether to store and stream (`actionrunner.stream_output`). */
	readonly streamOutput: boolean;
	/** What is marked in the output. The token of the run is taken out of it. */
	readonly secrets: KnownSecrets;
	/** Kinds of output that are secret as a whole: there is something in them that cannot be told from the rest before the end. */
	readonly secretOutput: readonly OutputType[];
}

/**
 * Records the output of one run: next sequence, insert, then publish. One write is in flight at a time, and what arrives meanwhile is
 * the next write: a lone line is stored at once, a flood in large pieces. Only what comes first waits for a moment, for most runs are short.
 */
export class Recorder {
	readonly #options: RecorderOptions;
	/** Made when something comes: most runs print on one. */
	readonly #channels = new Map<OutputType, RecordedChannel>();
	readonly #waiting = new WaitingOutput();
	/** What the channels look for. */
	#secrets: KnownSecrets;
	/** Line ends of what was recorded, in all and by type. */
	readonly #lines = { all: 0, stdout: 0, stderr: 0, other: 0 };
	#sequence = 0;
	#writing: Promise<void> | undefined;
	/** Begins to write what has come first, unless the run ends before. */
	#firstWrite: NodeJS.Timeout | undefined;
	#failure: Error | undefined;
	#isFinishing = false;
	/** Ends the wait for more, and how many characters are enough to do so. */
	#hurry: () => void = () => {};
	#enough = 0;
	#hasEnded = false;
	/** Resolves when less waits, and what resolves it. */
	#less: Promise<void> | undefined;
	#tellLess: () => void = () => {};

	constructor(options: RecorderOptions) {
		this.#options = options;
		this.#secrets = options.secrets;
	}

	async emit(type: OutputType, data: string): Promise<void> {
		if (this.#failure !== undefined) throw this.#failure;
		assertOutput(type, data);
		if (data === "") return;
		this.#add(type, this.#channelOf(type).stream.push(data));
		await this.#haveWritten();
	}

	/** The same for text as bytes, each of them a character of ASCII, which are used no longer than until it returns. */
	async emitBytes(type: OutputType, bytes: Uint8Array): Promise<void> {
		if (this.#failure !== undefined) throw this.#failure;
		assertOutput(type, "");
		const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		const { stream, capture } = this.#channelOf(type);
		const isWhole = !this.#options.streamOutput || this.#options.secretOutput.includes(type) || !stream.passes(text);
		if (isWhole) return this.emit(type, text.toString("latin1"));
		capture.addBytes(text);
		this.#waiting.addBytes(type, text, this.#options.timestamp);
		await this.#haveWritten();
	}

	/** Resolves when little enough waits. */
	async #haveWritten(): Promise<void> {
		if (this.#waiting.isEmpty || this.#waitsAsFirst()) return;
		void this.#startWriting();
		if (this.#waiting.length > this.#enough) this.#hurry();
		while (this.#waiting.length > highWater && this.#failure === undefined) await this.#untilLess();
		if (this.#failure !== undefined) throw this.#failure;
	}

	captured(type: OutputType): CapturedOutput {
		const channel = this.#channels.get(type);
		return channel === undefined ? nothing : channel.capture.read(channel.stream.held);
	}

	/** Take account of a chunk that an earlier run of the execution has stored; before the first `emit`, in order. */
	restore(chunk: Pick<OutputChunkEntity, "sequence" | "output_type" | "data" | "secret_spans">): void {
		const { output_type, data, sequence } = chunk;
		const ranges = chunk.secret_spans ?? [];
		const { stream, capture } = this.#channelOf(output_type);
		stream.restore(data);
		capture.add({ data, ranges, blanks: findBlanks(data, ranges) });
		this.#sequence = sequence;
		this.#count(output_type, countLineEnds(maskRanges(data, ranges)));
	}

	/** More is secret from here on. What is held back goes out by what was known before. */
	learn(secrets: KnownSecrets): void {
		this.#addHeld(false);
		this.#secrets = secrets;
		for (const channel of this.#channels.values()) channel.stream = new SecretStream(secrets);
	}

	/**
	 * Resolves when all but the last pieces is stored and returns those, to be written together with the final status. `goesOn`: another
	 * process will record what follows.
	 */
	async finish({ goesOn = false }: { readonly goesOn?: boolean } = {}): Promise<readonly OutputChunk[]> {
		this.#addHeld(goesOn);
		this.#hasEnded = true;
		clearTimeout(this.#firstWrite);
		this.#hurry();
		while (this.#failure === undefined && (this.#writing !== undefined || !this.#waiting.fitsOneWrite)) {
			this.#isFinishing = this.#waiting.fitsOneWrite;
			await this.#startWriting();
		}
		if (this.#failure !== undefined) throw this.#failure;
		return this.#take().map(toOwn);
	}

	/** Refuse everything from here on: the run has lost its execution. */
	fail(error: Error): void {
		this.#failure ??= error;
		clearTimeout(this.#firstWrite);
		this.#waiting.clear();
		this.#tellLess();
		this.#hurry();
	}

	#add(type: OutputType, released: Released): void {
		if (released.data === "") return;
		this.#channelOf(type).capture.add(released);
		if (this.#options.streamOutput) this.#waiting.add(type, released, this.#options.timestamp);
	}

	/** What was held back as the possible beginning of a secret. */
	#addHeld(goesOn: boolean): void {
		for (const [type, { stream }] of this.#channels) this.#add(type, stream.end({ goesOn }));
	}

	#channelOf(type: OutputType): RecordedChannel {
		const known = this.#channels.get(type);
		if (known !== undefined) return known;
		const made = { stream: new SecretStream(this.#secrets), capture: new CapturedText(this.#options.maxResultOutput) };
		this.#channels.set(type, made);
		return made;
	}

	/** Whether what waits is the first of the run, and little: a moment later that is written, with the end or without. */
	#waitsAsFirst(): boolean {
		if (this.#sequence > 0 || this.#writing !== undefined || this.#hasEnded) return false;
		if (this.#waiting.length > muchText) {
			clearTimeout(this.#firstWrite);
			return false;
		}
		this.#firstWrite ??= setTimeout(() => void this.#startWriting(), firstWait);
		return true;
	}

	#take(): OutputChunk[] {
		const pieces = this.#waiting.take();
		this.#tellLess();
		return pieces.map((piece) => this.#toChunk(piece));
	}

	/** Until a write has taken of what waits. To wait for the end of all writing would let nothing come that the next write waits for. */
	#untilLess(): Promise<void> {
		this.#less ??= new Promise((resolve) => {
			const tell = () => {
				this.#less = undefined;
				resolve();
			};
			this.#tellLess = tell;
		});
		void this.#startWriting();
		return this.#less;
	}

	#toChunk(piece: Piece): OutputChunk {
		const { createId, executionId, actionRef, runnerRef, secretOutput } = this.#options;
		const { type, timestamp, paged } = piece;
		this.#sequence += 1;
		const { all: lines_before, [type]: own_lines_before } = this.#lines;
		// Each member in its place from the beginning: to add some to a copy takes longer than all else that is done for a chunk here.
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
			this.#count(type, countLineEndsIn(paged.bytes));
			return withPagedText(chunk, paged);
		}
		const { data } = piece;
		const ranges = secretOutput.includes(type) ? [0, data.length] : piece.ranges;
		this.#count(type, countLineEnds(maskRanges(data, ranges)));
		chunk.data = data;
		if (ranges.length > 0) chunk.secret_spans = ranges;
		return chunk;
	}

	#count(type: OutputType, lineEnds: number): void {
		this.#lines.all += lineEnds;
		this.#lines[type] += lineEnds;
	}

	async #writeAll(): Promise<void> {
		const { store, eventBus, floods } = this.#options;
		// By the next turn of the loop the run may have ended: its output then goes with the final status in one write.
		if (this.#sequence > 0) await new Promise((resolve) => setImmediate(resolve));
		while (!this.#waiting.isEmpty && this.#failure === undefined && !this.#isFinishing) {
			const chunks = this.#take();
			const length = lengthOf(chunks);
			if (length >= muchText) floods?.note();
			try {
				await store(chunks.map(toStoredChunk));
				for (const chunk of chunks) publishOutput(eventBus, eventBus.capabilities.direct === true ? chunk : withOwnText(chunk));
			} finally {
				for (const chunk of chunks) findPagedText(chunk)?.release();
			}
			if (length >= floodLength) await this.#waitForMore(floodWait, writeLength);
		}
	}

	/** Until more than so many characters wait, or the run ends. */
	async #waitForMore(milliseconds: number, enough: number): Promise<void> {
		if (this.#hasEnded || this.#failure !== undefined || this.#waiting.length > enough) return;
		this.#enough = enough;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, milliseconds);
			const hurry = () => {
				clearTimeout(timer);
				resolve();
			};
			this.#hurry = hurry;
		});
	}

	#startWriting(): Promise<void> {
		this.#writing ??= this.#writeAll()
			.catch((error: unknown) => this.fail(error instanceof Error ? error : new Error(String(error))))
			.finally(() => {
				this.#writing = undefined;
			});
		return this.#writing;
	}
}

interface RecordedChannel {
	stream: SecretStream;
	readonly capture: CapturedText;
}
