import type { OutputChunkEntity, OutputType } from "../../contract/index.ts";
import { withOwnedText } from "../../lib/bytes/pooled-text.ts";
import type {
	LinesSelection,
	OutputAccess,
	OutputChunk,
	OutputFollower,
	OutputLines,
	OutputSelection,
} from "../executions/executions-api.ts";
import type { BulkOutputDetector } from "./bulk-output-detector.ts";
import { countLineEnds, countLines, LineCollector, selectLines } from "./line-selection.ts";
import { FanOutPacing } from "./live/fan-out-pacing.ts";
import { type FollowerOptions, HubFollower } from "./live/hub-follower.ts";
import { OutputHub, type OutputHubDependencies } from "./live/output-hub.ts";
import { findLastChunk, findLineStart, readStoredChunks, toCountField, toMaskedText } from "./stored-chunk-queries.ts";

export interface OutputReaderDependencies extends OutputHubDependencies {
	/** Detects bulk output. While runs print bulk output, the followers are paced if there are many of them. */
	readonly bulkOutput?: Pick<BulkOutputDetector, "isActive">;
}

/** Reads stored output, and follows output that is still being written. */
export class OutputReader implements OutputAccess {
	readonly #parts: OutputHubDependencies;
	readonly #hub: OutputHub;
	readonly #pacing: FanOutPacing;

	constructor(parts: OutputReaderDependencies) {
		this.#parts = parts;
		this.#pacing = new FanOutPacing({ shouldPace: () => parts.bulkOutput?.isActive ?? false });
		this.#hub = new OutputHub(parts);
	}

	async *read(executionId: string, selection: OutputSelection): AsyncGenerator<string> {
		const { type, fromLine: line = 1, lines, find } = selection;
		const start = await findLineStart(this.#parts.storage, executionId, { type, line });
		const pieces = this.#readPieces(executionId, { ...selection, after: start.after });
		yield* selectLines(pieces, { line, skip: start.skip }, { lines, find });
	}

	async lines(executionId: string, selection: LinesSelection): Promise<OutputLines> {
		const { type, fromLine: line = 1, lines: maxLines, find, isErrorsOnly, masked = false, signal } = selection;
		const { storage } = this.#parts;
		const toText = (chunk: OutputChunkEntity) => (masked ? toMaskedText(chunk) : chunk.data);
		// Read lines before counting them: output that is written in between then makes the total larger than the number of lines read, never
		// smaller.
		const start = await findLineStart(storage, executionId, { type, line });
		const collector = new LineCollector({ line, skip: start.skip }, { limit: maxLines, search: { find, isErrorsOnly } });
		let sequence = start.after;
		for await (const chunk of readStoredChunks(storage, executionId, { after: start.after, type })) {
			signal?.throwIfAborted();
			collector.addChunk(toText(chunk), chunk);
			if (collector.isComplete) break;
			({ sequence } = chunk);
		}
		const end = collector.isComplete ? undefined : { sequence, isLineOpen: collector.isLineOpen };
		collector.end();
		const total = await this.#countLines(executionId, type);
		const nextLine = collector.isComplete && collector.nextLine <= total ? collector.nextLine : undefined;
		return { total, lines: collector.takeLines(), nextLine, end };
	}

	/**
	 * Returns the number of lines of an output, from the count stored with its last chunk. Reads all chunks if an earlier version has stored
	 * them without counts.
	 */
	async #countLines(executionId: string, type: OutputType | undefined): Promise<number> {
		const { storage } = this.#parts;
		const last = await findLastChunk(storage, executionId, type);
		if (last === undefined) return 0;
		const before = last[toCountField(type)];
		if (before !== null) return before + countLines(last.data);
		let lineEnds = 0;
		let lastText = "";
		for await (const { data } of readStoredChunks(storage, executionId, { type })) {
			lineEnds += countLineEnds(data);
			lastText = data;
		}
		return lineEnds + (lastText === "" || lastText.endsWith("\n") ? 0 : 1);
	}

	async *#readPieces(
		executionId: string,
		{ type, signal, masked = false, after }: OutputSelection & { readonly after: number },
	): AsyncGenerator<string> {
		for await (const chunk of readStoredChunks(this.#parts.storage, executionId, { after, type })) {
			if (signal?.aborted) return;
			yield masked ? toMaskedText(chunk) : chunk.data;
		}
	}

	async *follow(executionId: string, options: FollowerOptions): AsyncGenerator<OutputChunk> {
		for await (const chunk of this.followShared(executionId, options)) yield withOwnedText(chunk);
	}

	followShared(executionId: string, options: FollowerOptions): OutputFollower {
		return new HubFollower({ hub: this.#hub, pacing: this.#pacing }, executionId, options);
	}
}
