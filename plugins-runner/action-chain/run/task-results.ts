import { type JsonObject, stringifyJson } from "../../../core/contract/index.ts";

/** How much of the results of a chain is kept: a chain may go in circles for long. The last one of each task is kept in any case. */
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

	/** The lap must be behind all others. */
	add(lap: number, name: string, result: JsonObject): void {
		const size = stringifyJson(result).length;
		this.#kept.set(lap, { name, result, size });
		this.#lastOf.set(name, lap);
		this.#characters += size;
		this.#forgetOldest();
	}

	/** Null: it has been forgotten. */
	of(lap: number): JsonObject | null {
		return this.#kept.get(lap)?.result ?? null;
	}

	/** The last one of each task, by its name. */
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
