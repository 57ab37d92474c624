import type { OutputChunk } from "../executions/executions-api.ts";

/** Characters that all are kept together, counting a chunk as at least as many as the objects around it take. */
const mostKept = 589_824;
const chunkOverhead = 256;

interface Entry {
	readonly executionId: string;
	readonly sequence: number;
	readonly cost: number;
}

/** Chunks that are known of an execution: with those that have gone meanwhile at most twice as many, and this many. */
const fewestLooked = 256;

/**
 * Output that was recorded or read a moment ago, so that all who follow it have the same objects: what many readers hold does not grow
 * with their number. The oldest goes first; what somebody still holds, such as a reader that is slow, is found until that lets it go.
 */
export class RecentChunks {
	readonly #chunks = new Map<string, KnownChunks>();
	#entries: Entry[] = [];
	// Index of the oldest: shifting a long array at each chunk would be slow.
	#head = 0;
	#kept = 0;
	readonly #isShared: (executionId: string) => boolean;

	/**
	 * What nobody was given, as all of a flood before readers that have stopped, is not kept track of either.
	 *
	 * @param isShared whether others may come to what somebody still holds. Where one follows alone, nothing is kept track of: what weak
	 * references lead to is copied by the next collections as if it were in use, and that is all of a flood.
	 */
	constructor(isShared: (executionId: string) => boolean = () => true) {
		this.#isShared = isShared;
	}

	/** The chunk, for somebody who may hold it for long. */
	get(executionId: string, sequence: number): OutputChunk | undefined {
		return this.#chunks.get(executionId)?.get(sequence);
	}

	/** The chunk, or the one that is there already. */
	add(chunk: OutputChunk): OutputChunk {
		const { execution_id: executionId, sequence } = chunk;
		let chunks = this.#chunks.get(executionId);
		if (chunks === undefined) this.#chunks.set(executionId, (chunks = new KnownChunks()));
		const known = chunks.get(sequence);
		if (known !== undefined) return known;
		chunks.keep(chunk);
		const cost = chunk.data.length + chunkOverhead;
		this.#entries.push({ executionId, sequence, cost });
		this.#kept += cost;
		while (this.#kept > mostKept && this.#entries.length - this.#head > 1) this.#dropOldest();
		return chunk;
	}

	/** Nobody follows the execution any more. */
	forget(executionId: string): void {
		this.#chunks.delete(executionId);
	}

	#dropOldest(): void {
		const { executionId, sequence, cost } = this.#entries[this.#head] as Entry;
		this.#kept -= cost;
		this.#chunks.get(executionId)?.letGo(sequence, this.#isShared(executionId));
		this.#head += 1;
		if (this.#head < 1_024) return;
		this.#entries = this.#entries.slice(this.#head);
		this.#head = 0;
	}
}

/** Chunks of one execution, by sequence. */
class KnownChunks {
	readonly #kept = new Map<number, OutputChunk>();
	/** Those of them that somebody was given. */
	readonly #given = new Set<number>();
	/** Those that are not kept here any more. */
	readonly #held = new Map<number, WeakRef<OutputChunk>>();
	#nextLook = fewestLooked;

	get(sequence: number): OutputChunk | undefined {
		const kept = this.#kept.get(sequence);
		if (kept === undefined) return this.#held.get(sequence)?.deref();
		this.#given.add(sequence);
		return kept;
	}

	keep(chunk: OutputChunk): void {
		this.#kept.set(chunk.sequence, chunk);
		this.#held.delete(chunk.sequence);
	}

	letGo(sequence: number, isShared: boolean): void {
		const chunk = this.#kept.get(sequence);
		if (chunk === undefined) return;
		this.#kept.delete(sequence);
		if (!this.#given.delete(sequence) || !isShared) return;
		this.#held.set(sequence, new WeakRef(chunk));
		if (this.#held.size >= this.#nextLook) this.#forgetGone();
	}

	#forgetGone(): void {
		for (const [sequence, held] of this.#held) {
			if (held.deref() === undefined) this.#held.delete(sequence);
		}
		this.#nextLook = Math.max(fewestLooked, this.#held.size * 2);
	}
}
