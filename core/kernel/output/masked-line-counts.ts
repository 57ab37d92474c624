import type { OutputChunkEntity, OutputType, Storage } from "../../contract/index.ts";
import { maskRanges } from "../../secrets/mask-ranges.ts";
import { countLineEnds } from "./line-selection.ts";

/** Chunks that are looked at in one turn, without their text, and texts that are read at once. */
const pageLength = 1_000;
const textsAtOnce = 16;

/** A chunk with secrets of several lines, which are one line where they are masked. */
export interface HiddenLineEnds {
	readonly sequence: number;
	/** Line ends before it in the output as it was printed. */
	readonly before: number;
	/** How many the output has more than its chunks say, up to and with this one. */
	readonly surplus: number;
}

/** Which field of a chunk says how many line ends come before it. */
export function toCountField(type: OutputType | undefined): "lines_before" | "own_lines_before" {
	return type === undefined ? "lines_before" : "own_lines_before";
}

/**
 * Where an output, or one type of it, has more line ends than its chunks say, in order: they count what is shown with secrets masked. Only
 * the text of chunks with secrets is read. Undefined where an earlier version has stored such a chunk, which says nothing.
 */
export async function findHiddenLineEnds(
	storage: Storage,
	executionId: string,
	type: OutputType | undefined,
): Promise<readonly HiddenLineEnds[] | undefined> {
	const field = toCountField(type);
	const where = { execution_id: executionId, ...(type !== undefined && { output_type: type }) };
	const found: HiddenLineEnds[] = [];
	let surplus = 0;
	for (let after = 0; ; ) {
		const page = await storage.find("output_chunk", {
			where: { ...where, sequence: { gt: after } },
			orderBy: [["sequence", "asc"]],
			limit: pageLength,
			fields: ["sequence", "secret_spans"],
		});
		const sequences = page.filter(({ secret_spans }) => secret_spans !== null).map(({ sequence }) => sequence);
		for (let start = 0; start < sequences.length; start += textsAtOnce) {
			const some = sequences.slice(start, start + textsAtOnce);
			for (const chunk of await readChunks(storage, executionId, some)) {
				const hidden = countHidden(chunk);
				if (hidden === 0) continue;
				const before = chunk[field];
				if (before === null) return undefined;
				found.push({ sequence: chunk.sequence, before: before + surplus, surplus: surplus + hidden });
				surplus += hidden;
			}
		}
		const last = page.at(-1);
		if (last === undefined || page.length < pageLength) return found;
		after = last.sequence;
	}
}

function readChunks(storage: Storage, executionId: string, sequences: readonly number[]): Promise<OutputChunkEntity[]> {
	return storage.find("output_chunk", {
		where: { execution_id: executionId, sequence: { in: sequences } },
		orderBy: [["sequence", "asc"]],
	});
}

function countHidden({ data, secret_spans }: OutputChunkEntity): number {
	return secret_spans === null ? 0 : countLineEnds(data) - countLineEnds(maskRanges(data, secret_spans));
}
