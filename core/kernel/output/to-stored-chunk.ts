import type { OutputChunkEntity } from "../../contract/index.ts";
import { findPagedText, withOwnText, withPagedText } from "../../lib/bytes/pooled-text.ts";
import type { OutputChunk } from "../executions/executions-api.ts";

/** Characters of all of them. */
export function lengthOf(chunks: readonly OutputChunk[]): number {
	return chunks.reduce((sum, chunk) => sum + (findPagedText(chunk) ?? chunk.data).length, 0);
}

/** The chunk with a text that stays as it is. */
export function toOwn(chunk: OutputChunk): OutputChunk {
	const own = withOwnText(chunk);
	findPagedText(chunk)?.release();
	return own;
}

/** The part of a chunk that is stored. */
export function toStoredChunk(chunk: OutputChunk): OutputChunkEntity {
	const paged = findPagedText(chunk);
	const { id, execution_id, sequence, output_type, timestamp, secret_spans, lines_before, own_lines_before } = chunk;
	const data = paged === undefined ? chunk.data : "";
	const stored = { id, execution_id, sequence, output_type, timestamp, data, secret_spans, lines_before, own_lines_before };
	return paged === undefined ? stored : withPagedText(stored, paged);
}
