import type { OutputChunkEntity, OutputType } from "../../contract/index.ts";
import { withOwnText } from "../../lib/bytes/pooled-text.ts";
import { maskRanges } from "../../secrets/mask-ranges.ts";
import type { LinesSelection, Output, OutputChunk, OutputLines, OutputSelection } from "../executions/executions-api.ts";
import type { Floods } from "./bulk-output.ts";
import { countLineEnds, countLines, NumberedLines, selectLines } from "./line-selection.ts";
import { FollowerTurns } from "./live/fan-out-pacing.ts";
import { type FollowerOptions, OutputFollower } from "./live/output-follower.ts";
import { FollowedOutput, type FollowedOutputParts } from "./live/output-hub.ts";
import { findHiddenLineEnds, toCountField } from "./masked-line-counts.ts";

import { findLastChunk, findLine, readStoredChunks } from "./stored-chunks.ts";

export interface RecordedOutputParts extends FollowedOutputParts {
	/** While runs print much, many followers stand back. */
	readonly floods?: Pick<Floods, "areGoingOn">;
}

/** Output as it has been recorded, and as it goes on being recorded. */
export class RecordedOutput implements Output {
	readonly #parts: FollowedOutputParts;
	readonly #followed: FollowedOutput;
	readonly #turns: FollowerTurns;

	constructor(parts: RecordedOutputParts) {
		this.#parts = parts;
		this.#turns = new FollowerTurns({ standBack: () => parts.floods?.areGoingOn ?? false });
		this.#followed = new FollowedOutput(parts);
	}

	async *read(executionId: string, selection: OutputSelection): AsyncGenerator<string> {
		const { type, fromLine: line = 1, masked = false, lines, find } = selection;
		const start = await findLine(this.#parts.storage, executionId, { type, line, masked });
		const pieces = this.#readPieces(executionId, { ...selection, after: start.after });
		yield* selectLines(pieces, { line, skip: start.skip }, { lines, find });
	}

	async lines(executionId: string, selection: LinesSelection): Promise<OutputLines> {
		const { type, fromLine: line = 1, lines: most, find, isTrouble, masked = false, signal } = selection;
		const { storage } = this.#parts;
		const toText = (chunk: OutputChunkEntity) => (masked ? toMaskedText(chunk) : chunk.data);
		// First the lines: what is written meanwhile makes the total larger than what was looked at, never smaller.
		const start = await findLine(storage, executionId, { type, line, masked });
		const found = new NumberedLines({ line, skip: start.skip }, { most, search: { find, isTrouble } });
		let sequence = start.after;
		for await (const chunk of readStoredChunks(storage, executionId, { after: start.after, ...(type !== undefined && { type }) })) {
			signal?.throwIfAborted();
			found.take(toText(chunk), chunk);
			if (found.isComplete) break;
			({ sequence } = chunk);
		}
		const end = found.isComplete ? undefined : { sequence, isLineOpen: found.isLineOpen };
		found.end();
		const total = await this.#countLines(executionId, { type, masked });
		return { total, lines: found.lines, nextLine: found.isComplete && found.nextLine <= total ? found.nextLine : undefined, end };
	}

	/** By what the last chunk says of itself. Where an earlier version has stored it, all is counted. */
	async #countLines(
		executionId: string,
		{ type, masked }: { readonly type: OutputType | undefined; readonly masked: boolean },
	): Promise<number> {
		const { storage } = this.#parts;
		const toText = (chunk: OutputChunkEntity) => (masked ? toMaskedText(chunk) : chunk.data);
		const hidden = masked ? [] : await findHiddenLineEnds(storage, executionId, type);
		const last = await findLastChunk(storage, executionId, type);
		if (last === undefined) return 0;
		const before = last[toCountField(type)];
		if (before !== null && hidden !== undefined) {
			const surplus = hidden.findLast(({ sequence }) => sequence < last.sequence)?.surplus ?? 0;
			return before + surplus + countLines(toText(last));
		}
		let ends = 0;
		let rest = "";
		for await (const chunk of readStoredChunks(storage, executionId, type === undefined ? {} : { type })) {
			const text = toText(chunk);
			ends += countLineEnds(text);
			rest = text;
		}
		return ends + (rest === "" || rest.endsWith("\n") ? 0 : 1);
	}

	async *#readPieces(
		executionId: string,
		{ type, signal, masked = false, after }: OutputSelection & { readonly after: number },
	): AsyncGenerator<string> {
		const chunks = readStoredChunks(this.#parts.storage, executionId, { after, ...(type !== undefined && { type }) });
		for await (const chunk of chunks) {
			if (signal?.aborted) return;
			yield masked ? toMaskedText(chunk) : chunk.data;
		}
	}

	async *follow(executionId: string, options: FollowerOptions): AsyncGenerator<OutputChunk> {
		for await (const chunk of this.followShared(executionId, options)) yield withOwnText(chunk);
	}

	followShared(executionId: string, options: FollowerOptions): OutputFollower {
		return new OutputFollower({ followed: this.#followed, turns: this.#turns }, executionId, options);
	}
}

/** The text of a chunk without the secrets that were known when it was recorded. */
export function toMaskedText({ data, secret_spans }: Pick<OutputChunkEntity, "data" | "secret_spans">): string {
	return secret_spans ? maskRanges(data, secret_spans) : data;
}
