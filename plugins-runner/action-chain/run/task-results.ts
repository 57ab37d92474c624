import { type JsonObject, stringifyJson } from "../../../core/contract/index.ts";

/** Limits of the kept results, because a chain may loop for long. The last result of each task is always kept. */
export const keptResults = { count: 1_000, characters: 16 * 1024 * 1024 };

interface KeptResult {
	readonly name: string;
	readonly result: JsonObject;
	readonly size: number;
}

/** Results of tasks, by the number of the lap. */
export class TaskResults {
	readonly #kept = new Map<number, KeptResult>();
	readonly #lastOf = new Map<string, number>();
	#characters = 0;

	/** Adds a result. The lap must be later than all laps added before. */
	add(lap: number, name: string, result: JsonObject): void {
		const size = stringifyJson(result).length;
		this.#kept.set(lap, { name, result, size });
		this.#lastOf.set(name, lap);
		this.#characters += size;
		this.#forgetOldest();
	}

	/** Returns the result of a lap; null if it was dropped. */
	of(lap: number): JsonObject | null {
		return this.#kept.get(lap)?.result ?? null;
	}

	/** Returns the last result of each task, by the name of the task. */
	last(): JsonObject {
		return Object.fromEntries([...this.#lastOf].map(([name, lap]) => [name, this.of(lap) ?? {}]));
	}

	#forgetOldest(): void {
		for (const [lap, { name, size }] of this.#kept) {
			if (this.#kept.size <= keptResults.count && this.#characters <= keptResults.characters) return;
			if (this.#lastOf.get(name) === lap) continue;
			this.#kept.delete(lap);
			this.#characters -= size;
		}
	}
}
