import type { OutputChunkEntity, OutputType, Storage } from "../../contract/index.ts";
import { maskRanges } from "../../secrets/mask-ranges.ts";
import { countLineEnds } from "./line-selection.ts";

/** Number of chunks in one query that reads no `data`. */
const pageSize = 1_000;
/** Number of chunks in one query that also reads `data`. */
const textPageSize = 16;

/**
 * Correction from masked to printed line numbers, for a chunk that contains secrets of several lines. Such a secret is one line when it is
 * masked.
 */
export interface LineNumberCorrection {
	readonly sequence: number;
	/** Number of line endings before the chunk, in the output as it was printed. */
	readonly before: number;
	/** Number of line endings that masking hides, up to and including this chunk. Counts stored with later chunks are too low by it. */
	readonly surplus: number;
}

/** Returns the field of a chunk with the number of line endings before it, in the whole output or in the output of its type. */
export function toCountField(type: OutputType | undefined): "lines_before" | "own_lines_before" {
	return type === undefined ? "lines_before" : "own_lines_before";
}

/**
 * Finds the chunks of an output, or of one output type, with line endings that masking hides, in order. The counts stored with chunks are
 * those of the masked output. Reads `data` only of chunks that contain secrets. Returns undefined if an earlier version has stored such a
 * chunk without a count.
 */
export async function findLineNumberCorrections(
	storage: Storage,
	executionId: string,
	type: OutputType | undefined,
): Promise<readonly LineNumberCorrection[] | undefined> {
	const field = toCountField(type);
	const where = { execution_id: executionId, ...(type !== undefined && { output_type: type }) };
	const counts: LineNumberCorrection[] = [];
	let surplus = 0;
	for (let after = 0; ; ) {
		const page = await storage.find("output_chunk", {
			where: { ...where, sequence: { gt: after } },
			orderBy: [["sequence", "asc"]],
			limit: pageSize,
			fields: ["sequence", "secret_spans"],
		});
		const sequences = page.filter(({ secret_spans }) => secret_spans !== null).map(({ sequence }) => sequence);
		for (let start = 0; start < sequences.length; start += textPageSize) {
			const batch = sequences.slice(start, start + textPageSize);
			for (const chunk of await readChunks(storage, executionId, batch)) {
				const hidden = countHidden(chunk);
				if (hidden === 0) continue;
				const before = chunk[field];
				if (before === null) return undefined;
				counts.push({ sequence: chunk.sequence, before: before + surplus, surplus: surplus + hidden });
				surplus += hidden;
			}
		}
		const last = page.at(-1);
		if (last === undefined || page.length < pageSize) return counts;
		after = last.sequence;
	}
}

function readChunks(storage: Storage, executionId: string, sequences: readonly number[]): Promise<OutputChunkEntity[]> {
	return storage.find("output_chunk", {
		where: { execution_id: executionId, sequence: { in: sequences } },
		orderBy: [["sequence", "asc"]],
	});
}

/** Returns the number of line endings in a chunk that masking hides. */
function countHidden({ data, secret_spans }: OutputChunkEntity): number {
	return secret_spans === null ? 0 : countLineEnds(data) - countLineEnds(maskRanges(data, secret_spans));
}
