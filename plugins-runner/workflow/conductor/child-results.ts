import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { ByteCache } from "./byte-cache.ts";
import { estimateBytes } from "./find-large-parts.ts";
import type { JournalValues } from "./journal-values.ts";

/** Maximum bytes of cached results. */
const maxCacheBytes = 32 * 1024 * 1024;
/** Maximum number of results that are read at the same time. */
const maxParallelReads = 20;

/** Results of children, read on demand and cached. */
export class ChildResults {
	readonly #read: (executionId: string) => Promise<JsonObject | null>;
	readonly #journalValues: JournalValues;
	readonly #cache: ByteCache<string, JsonValue>;

	constructor(read: (executionId: string) => Promise<JsonObject | null>, held: JournalValues) {
		this.#read = read;
		this.#journalValues = held;
		this.#cache = new ByteCache(maxCacheBytes, (executionId) => held.removeResult(executionId));
	}

	/** Returns a cached result; undefined if it is not cached. */
	get(executionId: string): JsonValue | undefined {
		return this.#cache.get(executionId);
	}

	/** Reads results into `loaded`, where they stay even if the cache drops them. */
	async load(executionIds: Iterable<string>, loaded: Map<string, JsonValue>): Promise<void> {
		const ids = [...executionIds];
		for (let at = 0; at < ids.length; at += maxParallelReads) {
			await Promise.all(ids.slice(at, at + maxParallelReads).map(async (id) => loaded.set(id, await this.#load(id))));
		}
	}

	async #load(executionId: string): Promise<JsonValue> {
		const cached = this.#cache.get(executionId);
		if (cached !== undefined) return cached;
		const result = await this.#read(executionId);
		this.#cache.set(executionId, result, estimateBytes(result));
		this.#journalValues.addResult(executionId, result);
		return result;
	}
}
