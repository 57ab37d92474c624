import type { CapturedOutput, EventBus, OutputChunkEntity, OutputType } from "../../contract/index.ts";
import { publishOutput } from "../executions/execution-events.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import { assertOutput } from "../plugins/plugin-answers.ts";
import type { KnownSecrets } from "../secrets/known-secrets.ts";
import { cutRanges, findBlanks, joinRanges, type Ranges } from "../secrets/ranges.ts";
import { type Released, SecretStream } from "../secrets/secret-stream.ts";
import { CapturedText } from "./captured-text.ts";

/** Chunks of a flood are put together up to this length, and longer ones cut. */
const chunkLength = 65_536;
/** Pieces that wait one by one; what comes on top is put together. */
const singlePieces = 8;
/** Characters that may wait for the store before `emit` makes the runner wait. */
const highWater = 1_048_576;
/** Characters in one write, so that a write never holds up others for long. */
const writeLength = 524_288;

/** Records the output of one run: next sequence, insert, then publish. */
export interface Recorder {
	emit(type: OutputType, data: string): Promise<void>;
	captured(type: OutputType): CapturedOutput;
	/** Take account of a chunk that an earlier run of the execution has stored; before the first `emit`, in order. */
	restore(chunk: Pick<OutputChunkEntity, "sequence" | "output_type" | "data" | "secret_spans">): void;
	/**
	 * Resolves when all but the last pieces is stored and returns those, to be written together with the final status. `goesOn`: another
	 * process will record what follows.
	 */
	finish(options?: { readonly goesOn?: boolean }): Promise<readonly OutputChunk[]>;
	/** More is secret from here on. What is held back goes out by what was known before. */
	learn(secrets: KnownSecrets): void;
	/** Refuse everything from here on: the run has lost its execution. */
	fail(error: Error): void;
}

export interface RecorderOptions {
	/** Resolves when the chunks are stored. A failure is the end of the run's output. */
	readonly store: (chunks: readonly OutputChunkEntity[]) => Promise<void>;
	readonly eventBus: EventBus;
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

interface Piece {
	readonly type: OutputType;
	data: string;
	ranges: Ranges;
	readonly timestamp: string;
}

/**
 * One write is in flight at a time, and what arrives meanwhile is the next write: a lone line is stored at once, a flood in
 * large pieces.
 */
export function createRecorder(options: RecorderOptions): Recorder {
	const { store, eventBus } = options;
	const channels = createChannels(options);
	let sequence = 0;
	let waiting: Piece[] = [];
	let waitingLength = 0;
	let writing: Promise<void> | undefined;
	let failure: Error | undefined;
	let finishing = false;

	function add(type: OutputType, released: Released): void {
		const { data, ranges } = released;
		if (data === "") return;
		channels[type].capture.add(released);
		if (!options.streamOutput) return;
		waitingLength += data.length;
		const final = waiting.at(-1);
		if (waiting.length > singlePieces && final?.type === type && final.data.length + data.length <= chunkLength) {
			final.ranges = joinRanges(final.ranges, ranges, final.data.length);
			final.data += data;
			return;
		}
		const timestamp = options.timestamp();
		for (const part of cutLong(released)) waiting.push({ type, ...part, timestamp });
	}

	/** What was held back as the possible beginning of a secret. */
	function addHeld(goesOn: boolean): void {
		for (const type of Object.keys(channels) as OutputType[]) add(type, channels[type].stream.end({ goesOn }));
	}

	function take(): OutputChunk[] {
		let length = 0;
		let count = 0;
		for (const { data } of waiting) {
			if (count > 0 && length + data.length > writeLength) break;
			length += data.length;
			count += 1;
		}
		const taken = waiting.slice(0, count);
		waiting = waiting.slice(count);
		waitingLength -= length;
		return taken.map(toChunk);
	}

	function toChunk({ type, data, ranges: known, timestamp }: Piece): OutputChunk {
		sequence += 1;
		const ranges = options.secretOutput.includes(type) ? [0, data.length] : known;
		return {
			id: options.createId(),
			execution_id: options.executionId,
			sequence,
			output_type: type,
			timestamp,
			data,
			secret_spans: ranges.length === 0 ? null : ranges,
			action_ref: options.actionRef,
			runner_ref: options.runnerRef,
		};
	}

	async function writeAll(): Promise<void> {
		// By the next turn of the loop a short run may have ended: its output then goes with the final status in one write.
		await new Promise((resolve) => setImmediate(resolve));
		while (waiting.length > 0 && failure === undefined && !finishing) {
			const chunks = take();
			await store(chunks.map(toStoredChunk));
			for (const chunk of chunks) publishOutput(eventBus, chunk);
		}
	}

	function startWriting(): Promise<void> {
		writing ??= writeAll()
			.catch((error: unknown) => fail(error instanceof Error ? error : new Error(String(error))))
			.finally(() => {
				writing = undefined;
			});
		return writing;
	}

	function fail(error: Error): void {
		failure ??= error;
		waiting = [];
		waitingLength = 0;
	}

	return {
		async emit(type, data) {
			if (failure !== undefined) throw failure;
			assertOutput(type, data);
			if (data === "") return;
			add(type, channels[type].stream.push(data));
			if (waiting.length === 0) return;
			void startWriting();
			while (waitingLength > highWater && failure === undefined) await startWriting();
			if (failure !== undefined) throw failure;
		},
		captured: (type) => channels[type].capture.read(channels[type].stream.held),
		restore({ output_type, data, secret_spans, sequence: stored }) {
			const ranges = secret_spans ?? [];
			channels[output_type].stream.restore(data);
			channels[output_type].capture.add({ data, ranges, blanks: findBlanks(data, ranges) });
			sequence = stored;
		},
		learn(secrets) {
			addHeld(false);
			for (const channel of Object.values(channels)) channel.stream = new SecretStream(secrets);
		},
		async finish({ goesOn = false } = {}) {
			addHeld(goesOn);
			while (failure === undefined && (writing !== undefined || waitingLength > writeLength)) {
				finishing = waitingLength <= writeLength;
				await startWriting();
			}
			if (failure !== undefined) throw failure;
			return take();
		},
		fail,
	};
}

function createChannels({ secrets, maxResultOutput }: RecorderOptions) {
	const toChannel = () => ({ stream: new SecretStream(secrets), capture: new CapturedText(maxResultOutput) });
	return { stdout: toChannel(), stderr: toChannel(), other: toChannel() };
}

/** The part of a chunk that is stored. */
export function toStoredChunk({ action_ref, runner_ref, ...stored }: OutputChunk): OutputChunkEntity {
	return stored;
}

/** Cut a text of any length into chunks, never inside a character. */
function cutLong({ data, ranges }: Released): Pick<Piece, "data" | "ranges">[] {
	if (data.length <= chunkLength) return [{ data, ranges }];
	const parts: Pick<Piece, "data" | "ranges">[] = [];
	for (let start = 0; start < data.length; ) {
		let end = Math.min(data.length, start + chunkLength);
		const unit = data.charCodeAt(end - 1);
		if (end < data.length && unit >= 0xd800 && unit <= 0xdbff) end -= 1;
		parts.push({ data: data.slice(start, end), ranges: cutRanges(ranges, start, end) });
		start = end;
	}
	return parts;
}
