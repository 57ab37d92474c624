import type { OutputChunkEntity, OutputType, Storage } from "../../contract/index.ts";

/** Bytes that one page of stored chunks should come to. */
const pageBytes = 1_048_576;

export interface StoredChunkOptions {
	/** Highest sequence that is not wanted. */
	readonly after?: number;
	readonly type?: OutputType;
}

/** Stored output in order, a page at a time; pages adapt to the size of the chunks. */
export async function* readStoredChunks(
	storage: Storage,
	executionId: string,
	{ after = 0, type }: StoredChunkOptions = {},
): AsyncGenerator<OutputChunkEntity> {
	let limit = 32;
	for (let last = after; ; ) {
		const page = await storage.find("output_chunk", {
			where: { execution_id: executionId, sequence: { gt: last }, ...(type !== undefined && { output_type: type }) },
			orderBy: [["sequence", "asc"]],
			limit,
		});
		yield* page;
		const final = page.at(-1);
		if (final === undefined || page.length < limit) return;
		last = final.sequence;
		const average = page.reduce((sum, chunk) => sum + chunk.data.length, 0) / page.length;
		limit = Math.max(8, Math.min(1_000, Math.floor(pageBytes / (average + 1))));
	}
}
