import type { OutputChunkEntity, OutputType, Storage } from "../../contract/index.ts";
import { attachPooledText, findPooledText, withOwnedText } from "../../lib/bytes/pooled-text.ts";
import { maskRanges } from "../../secrets/redactor.ts";
import type { OutputChunk } from "../executions/executions-api.ts";

/** Target size of one page of stored chunks, in characters. */
const pageBytes = 1_048_576;

interface StoredChunkOptions {
	/** Sequence number after which to begin. Default 0: at the first chunk. */
	readonly after?: number;
	/** Only chunks of this type. Default: all. */
	readonly type?: OutputType | undefined;
}

/** Reads at most `limit` stored chunks in order, starting after a sequence number. */
export function readChunkPage(
	storage: Storage,
	executionId: string,
	{ after = 0, type, limit }: StoredChunkOptions & { readonly limit: number },
): Promise<OutputChunkEntity[]> {
	return storage.find("output_chunk", {
		where: { execution_id: executionId, sequence: { gt: after }, ...(type !== undefined && { output_type: type }) },
		orderBy: [["sequence", "asc"]],
		limit,
	});
}

/** Reads stored output in order, page by page. The page size adapts to the size of the chunks. */
export async function* readStoredChunks(
	storage: Storage,
	executionId: string,
	{ after = 0, type }: StoredChunkOptions = {},
): AsyncGenerator<OutputChunkEntity> {
	let limit = 32;
	for (let last = after; ; ) {
		const page = await readChunkPage(storage, executionId, { after: last, type, limit });
		yield* page;
		const final = page.at(-1);
		if (final === undefined || page.length < limit) return;
		last = final.sequence;
		const average = page.reduce((sum, chunk) => sum + chunk.data.length, 0) / page.length;
		limit = Math.max(8, Math.min(1_000, Math.floor(pageBytes / (average + 1))));
	}
}

/**
 * Returns the name of the chunk field with the number of line endings before the chunk: in the whole output, or in the output of its type.
 */
export function toCountField(type: OutputType | undefined): "lines_before" | "own_lines_before" {
	return type === undefined ? "lines_before" : "own_lines_before";
}

/**
 * Finds the chunk at which to begin reading for a line of an output, or of one output type. Returns the sequence number after which to
 * read, and the number of line endings to skip there. Uses the counts stored with chunks and reads no `data`. Chunks of earlier versions
 * without counts are read from the beginning.
 */
export async function findLineStart(
	storage: Storage,
	executionId: string,
	{ type, line }: { readonly type: OutputType | undefined; readonly line: number },
): Promise<{ readonly after: number; readonly skip: number }> {
	const beginning = { after: 0, skip: line - 1 };
	if (line === 1) return beginning;
	const field = toCountField(type);
	// The last chunk before which fewer than `line - 1` lines have ended. So the preceding line ends in this chunk or a later one.
	const [chunk] = await storage.find("output_chunk", {
		where: { execution_id: executionId, [field]: { lte: line - 2 }, ...(type !== undefined && { output_type: type }) },
		orderBy: [["sequence", "desc"]],
		limit: 1,
		fields: ["sequence", field],
	});
	return chunk === undefined ? beginning : { after: chunk.sequence - 1, skip: line - 1 - (chunk[field] ?? 0) };
}

/** Reads the last chunk of an output, or of one output type; undefined if there is none. */
export async function findLastChunk(
	storage: Storage,
	executionId: string,
	type: OutputType | undefined,
): Promise<OutputChunkEntity | undefined> {
	const where = { execution_id: executionId, ...(type !== undefined && { output_type: type }) };
	return (await storage.find("output_chunk", { where, orderBy: [["sequence", "desc"]], limit: 1 }))[0];
}

/** Returns the `data` of a chunk with secrets masked. Only secrets that were known when the chunk was recorded are masked. */
export function toMaskedText({ data, secret_spans }: Pick<OutputChunkEntity, "data" | "secret_spans">): string {
	return secret_spans ? maskRanges(data, secret_spans) : data;
}

/** Returns the chunk with `data` as an owned string, and releases its pooled text if it has one. */
export function withoutPooledText(chunk: OutputChunk): OutputChunk {
	const ownedChunk = withOwnedText(chunk);
	findPooledText(chunk)?.release();
	return ownedChunk;
}

/** Returns a chunk with only the fields that are stored. Pooled text is shared, not copied. */
export function toStoredChunk(chunk: OutputChunk): OutputChunkEntity {
	const paged = findPooledText(chunk);
	const { id, execution_id, sequence, output_type, timestamp, secret_spans, lines_before, own_lines_before } = chunk;
	const data = paged === undefined ? chunk.data : "";
	const stored = { id, execution_id, sequence, output_type, timestamp, data, secret_spans, lines_before, own_lines_before };
	return paged === undefined ? stored : attachPooledText(stored, paged);
}
