import { findPooledText } from "../../../lib/bytes/pooled-text.ts";
import type { OutputChunk } from "../../executions/executions-api.ts";

/** Maximum cost of all cached chunks. The cost of a chunk is its number of characters, plus `chunkOverhead`. */
const maxCost = 589_824;
/** Cost of the objects of a chunk, in characters. */
const chunkOverhead = 256;
/**
 * Pooled characters that cost as much as one character of a string. Pooled text is cheap, because its memory is reused without a GC. It
 * costs least for many followers, each of which would otherwise read the chunk from the storage.
 */
const pooledCharactersPerCost = { few: 4, many: 32 };

interface CacheEntry {
	readonly chunk: OutputChunk;
	readonly cost: number;
	/** Number of callers that have taken the chunk and not released it. */
	holders: number;
	/** True while the entry counts towards the total cost. Such an entry stays cached even without holders. */
	isRecent: boolean;
}

/**
 * Cache of chunks that were written or read recently. All followers of an execution get the same objects, so memory does not grow with the
 * number of followers. The oldest entries are evicted first. A chunk that a slow follower still holds stays cached until it is released.
 */
export class ChunkCache {
	readonly #chunks = new Map<string, Map<number, CacheEntry>>();
	#entries: CacheEntry[] = [];
	/** Index of the oldest recent entry. Shifting a long array for each chunk would be slow. */
	#head = 0;
	#totalCost = 0;

	/** Returns a chunk that the caller must release with `release`; undefined if it is not cached. */
	take(executionId: string, sequence: number): OutputChunk | undefined {
		const entry = this.#chunks.get(executionId)?.get(sequence);
		if (entry !== undefined) entry.holders += 1;
		return entry?.chunk;
	}

	/** Releases a chunk, once for each time that it was taken. Does nothing if the chunk is no longer cached. */
	release(chunk: OutputChunk): void {
		const entry = this.#chunks.get(chunk.execution_id)?.get(chunk.sequence);
		if (entry?.chunk !== chunk) return;
		entry.holders -= 1;
		this.#evictUnused(entry);
	}

	/** Adds a chunk, at the cost for few or many followers. Does nothing if the chunk is already cached. */
	add(chunk: OutputChunk, audience: keyof typeof pooledCharactersPerCost = "few"): void {
		const { execution_id: executionId, sequence } = chunk;
		let chunks = this.#chunks.get(executionId);
		if (chunks === undefined) this.#chunks.set(executionId, (chunks = new Map()));
		if (chunks.has(sequence)) return;
		const paged = findPooledText(chunk);
		paged?.retain();
		const cost = (paged === undefined ? chunk.data.length : paged.length / pooledCharactersPerCost[audience]) + chunkOverhead;
		const entry = { chunk, cost, holders: 0, isRecent: true };
		chunks.set(sequence, entry);
		this.#entries.push(entry);
		this.#totalCost += cost;
		while (this.#totalCost > maxCost && this.#entries.length - this.#head > 1) this.#dropOldest();
	}

	/** Removes all chunks of an execution that no follower follows any more. */
	forget(executionId: string): void {
		const chunks = this.#chunks.get(executionId);
		this.#chunks.delete(executionId);
		for (const { chunk } of chunks?.values() ?? []) findPooledText(chunk)?.release();
	}

	#dropOldest(): void {
		const oldest = this.#entries[this.#head] as CacheEntry;
		this.#totalCost -= oldest.cost;
		oldest.isRecent = false;
		this.#evictUnused(oldest);
		this.#head += 1;
		if (this.#head < 1_024) return;
		this.#entries = this.#entries.slice(this.#head);
		this.#head = 0;
	}

	#evictUnused(entry: CacheEntry): void {
		const { chunk, holders, isRecent } = entry;
		const chunks = this.#chunks.get(chunk.execution_id);
		if (holders > 0 || isRecent || chunks?.get(chunk.sequence) !== entry) return;
		chunks.delete(chunk.sequence);
		findPooledText(chunk)?.release();
	}
}
