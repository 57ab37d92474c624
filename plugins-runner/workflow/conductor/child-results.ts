import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { ByteCache } from "./byte-cache.ts";
import type { JournalValues } from "./journal-values.ts";
import { estimateBytes } from "./value-scan.ts";

/** Results that are kept for the next evaluation. */
const cacheBytes = 32 * 1024 * 1024;
/** Results that are read at the same time. */
const together = 20;

/** What children have ended with, read when it is needed. */
export class ChildResults {
	readonly #read: (executionId: string) => Promise<JsonObject | null>;
	readonly #held: JournalValues;
	readonly #cache: ByteCache<string, JsonValue>;

	constructor(read: (executionId: string) => Promise<JsonObject | null>, held: JournalValues) {
		this.#read = read;
		this.#held = held;
		this.#cache = new ByteCache(cacheBytes, (executionId) => held.removeResult(executionId));
	}

	/** Undefined when it is not loaded. */
	get(executionId: string): JsonValue | undefined {
		return this.#cache.get(executionId);
	}

	/** Reads results into `loaded`, where they stay whatever the cache drops. */
	async load(executionIds: Iterable<string>, loaded: Map<string, JsonValue>): Promise<void> {
		const wanted = [...executionIds];
		for (let at = 0; at < wanted.length; at += together) {
			await Promise.all(wanted.slice(at, at + together).map(async (id) => loaded.set(id, await this.#load(id))));
		}
	}

	async #load(executionId: string): Promise<JsonValue> {
		const known = this.#cache.get(executionId);
		if (known !== undefined) return known;
		const result = await this.#read(executionId);
		this.#cache.set(executionId, result, estimateBytes(result));
		this.#held.addResult(executionId, result);
		return result;
	}
}
