import type { OutputChunkEntity, OutputType, Storage } from "../../contract/index.ts";
import { findPagedText, withOwnText, withPagedText } from "../../lib/bytes/pooled-text.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import { findHiddenLineEnds, toCountField } from "./masked-line-counts.ts";

/** Bytes that one page of stored chunks should come to. */
const pageBytes = 1_048_576;

interface StoredChunkOptions {
	/** Highest sequence that is not wanted. */
	readonly after?: number;
	readonly type?: OutputType;
}

/** The first chunks of stored output, at most `limit`. */
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

/** Stored output in order, a page at a time; pages adapt to the size of the chunks. */
export async function* readStoredChunks(
	storage: Storage,
	executionId: string,
	{ after = 0, type }: StoredChunkOptions = {},
): AsyncGenerator<OutputChunkEntity> {
	let limit = 32;
	for (let last = after; ; ) {
		const page = await readChunkPage(storage, executionId, { after: last, limit, ...(type !== undefined && { type }) });
		yield* page;
		const final = page.at(-1);
		if (final === undefined || page.length < limit) return;
		last = final.sequence;
		const average = page.reduce((sum, chunk) => sum + chunk.data.length, 0) / page.length;
		limit = Math.max(8, Math.min(1_000, Math.floor(pageBytes / (average + 1))));
	}
}

/** Which line of an output, or of one type of it, as it is shown with secrets masked or as it was printed. */
interface WantedLine {
	readonly type: OutputType | undefined;
	readonly line: number;
	readonly masked: boolean;
}

/**
 * Where to begin to read for a line: behind which sequence, and how many line ends of what follows come before it. By what chunks say of
 * themselves; the output itself is not read, but for what is secret of it and to be shown.
 */
export async function findLine(
	storage: Storage,
	executionId: string,
	{ type, line, masked }: WantedLine,
): Promise<{ readonly after: number; readonly skip: number }> {
	const beginning = { after: 0, skip: line - 1 };
	if (line === 1) return beginning;
	const hidden = masked ? [] : await findHiddenLineEnds(storage, executionId, type);
	if (hidden === undefined) return beginning;
	// The last one before which the line before this has not ended: that end is in it.
	const known = hidden.findLast(({ before }) => before <= line - 2);
	const surplus = known?.surplus ?? 0;
	const field = toCountField(type);
	const [chunk] = await storage.find("output_chunk", {
		where: {
			execution_id: executionId,
			...(known !== undefined && { sequence: { gt: known.sequence } }),
			[field]: { lte: line - 2 - surplus },
			...(type !== undefined && { output_type: type }),
		},
		orderBy: [["sequence", "desc"]],
		limit: 1,
		fields: ["sequence", field],
	});
	if (chunk !== undefined) return { after: chunk.sequence - 1, skip: line - 1 - ((chunk[field] ?? 0) + surplus) };
	return known === undefined ? beginning : { after: known.sequence - 1, skip: line - 1 - known.before };
}

/** The last chunk of an output, or of one type of it. */
export async function findLastChunk(
	storage: Storage,
	executionId: string,
	type: OutputType | undefined,
): Promise<OutputChunkEntity | undefined> {
	const where = { execution_id: executionId, ...(type !== undefined && { output_type: type }) };
	return (await storage.find("output_chunk", { where, orderBy: [["sequence", "desc"]], limit: 1 }))[0];
}

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
