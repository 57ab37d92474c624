import { findPagedText } from "../../../lib/bytes/pooled-text.ts";
import type { OutputChunk } from "../../executions/executions-api.ts";

/** Characters that all are kept together, counting a chunk as at least as many as the objects around it take. */
const mostKept = 589_824;
const chunkOverhead = 256;
/** Characters in pages that count as one, as nothing of them is left to be collected; and where many follow, who else would read as much again each for themselves. */
const pagedShare = { few: 4, many: 32 };

interface Known {
	readonly chunk: OutputChunk;
	readonly cost: number;
	/** How many were given it that have not let it go. */
	holders: number;
	/** Whether it is one of the latest. */
	isRecent: boolean;
}

/**
 * Output that was recorded or read a moment ago, so that all who follow it have the same objects: what many readers hold does not grow
 * with their number. The oldest goes first; what somebody still holds, such as a reader that is slow, is found until that lets it go.
 */
export class RecentChunks {
	readonly #chunks = new Map<string, Map<number, Known>>();
	#entries: Known[] = [];
	// Index of the oldest: shifting a long array at each chunk would be slow.
	#head = 0;
	#kept = 0;

	/** The chunk, for somebody who holds it until `letGo`. */
	take(executionId: string, sequence: number): OutputChunk | undefined {
		const known = this.#chunks.get(executionId)?.get(sequence);
		if (known !== undefined) known.holders += 1;
		return known?.chunk;
	}

	/** Once for each time it was taken. A chunk that is no longer known is nobody's. */
	letGo(chunk: OutputChunk): void {
		const known = this.#chunks.get(chunk.execution_id)?.get(chunk.sequence);
		if (known?.chunk !== chunk) return;
		known.holders -= 1;
		this.#forgetUnused(known);
	}

	/** Let it be known, unless it is already: for few or for many. */
	add(chunk: OutputChunk, audience: keyof typeof pagedShare = "few"): void {
		const { execution_id: executionId, sequence } = chunk;
		let chunks = this.#chunks.get(executionId);
		if (chunks === undefined) this.#chunks.set(executionId, (chunks = new Map()));
		if (chunks.has(sequence)) return;
		const paged = findPagedText(chunk);
		paged?.hold();
		const cost = (paged === undefined ? chunk.data.length : paged.length / pagedShare[audience]) + chunkOverhead;
		const known = { chunk, cost, holders: 0, isRecent: true };
		chunks.set(sequence, known);
		this.#entries.push(known);
		this.#kept += cost;
		while (this.#kept > mostKept && this.#entries.length - this.#head > 1) this.#dropOldest();
	}

	/** Nobody follows the execution any more. */
	forget(executionId: string): void {
		const chunks = this.#chunks.get(executionId);
		this.#chunks.delete(executionId);
		for (const { chunk } of chunks?.values() ?? []) findPagedText(chunk)?.release();
	}

	#dropOldest(): void {
		const oldest = this.#entries[this.#head] as Known;
		this.#kept -= oldest.cost;
		oldest.isRecent = false;
		this.#forgetUnused(oldest);
		this.#head += 1;
		if (this.#head < 1_024) return;
		this.#entries = this.#entries.slice(this.#head);
		this.#head = 0;
	}

	#forgetUnused(known: Known): void {
		const { chunk, holders, isRecent } = known;
		const chunks = this.#chunks.get(chunk.execution_id);
		if (holders > 0 || isRecent || chunks?.get(chunk.sequence) !== known) return;
		chunks.delete(chunk.sequence);
		findPagedText(chunk)?.release();
	}
}
