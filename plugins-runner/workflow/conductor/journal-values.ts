import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/contract/index.ts";
import { isArray, isSmall, mapArray, mapObject, scanValue, toPath, type ValueScan } from "./value-scan.ts";

/**
 * A value as the journal holds it: as it is, but for objects with the member `$`, which stand for
 *
 * - `{"$": ["<execution id>" | <number>, ...path]}`: a part of a child's result, or of a value that is written elsewhere; with `"m": true` when
 *   it is an object
 * - `{"$": {"n": <number>, "v": …}}`: a large value, written here and referred to by its number afterwards
 * - `{"$": {"o": {…}}}`: an object that has a member `$` itself
 */
export type JournalValue = JsonValue;

/** Where a value is found again. */
type Reference = { readonly $: readonly (string | number)[]; readonly m?: true };

/** Finds the result of a child; undefined: not loaded. */
export type ResultLookup = (executionId: string) => JsonValue | undefined;

/**
 * Writes values for the journal so that nothing large is written twice: what is the result of a child, or a part of it, becomes a reference to
 * it, and so does what has been written before. Values are known again by what they hold, as expressions make copies.
 */
export class JournalValues {
	readonly #contents = new Map<number, JournalValue>();
	/** Large values by their digests. */
	readonly #known = new Map<string, Reference>();
	/** Digests of parts of results, by execution. */
	readonly #ofResults = new Map<string, readonly string[]>();
	/** Results that have not been looked through. */
	readonly #offered = new Map<string, JsonValue>();
	#next = 0;

	/** The value for the journal, which must be written: what is new in it is referred to from now on. */
	encode(value: JsonValue): JournalValue {
		if (isSmall(value)) return scanValue(value, () => undefined).held;
		for (const [executionId, result] of this.#offered) this.#ofResults.set(executionId, this.#learn(scanValue(result), executionId));
		this.#offered.clear();
		const found = scanValue(value, (digest) => this.#known.get(digest));
		if (isSmall(found.held)) return found.held;
		const number = this.#next++;
		this.#contents.set(number, found.held);
		this.#learn(found, number);
		return { $: { n: number, v: found.held } };
	}

	/** What a child has ended with, so that it, and its parts, are referred to instead of being written. */
	addResult(executionId: string, result: JsonValue): void {
		if (!isSmall(result)) this.#offered.set(executionId, result);
	}

	/** No more than it takes to refer to what was offered. */
	removeResult(executionId: string): void {
		this.#offered.delete(executionId);
		for (const digest of this.#ofResults.get(executionId) ?? []) this.#known.delete(digest);
		this.#ofResults.delete(executionId);
	}

	/** The value again. Of what is not loaded it has null. */
	decode(held: JournalValue, lookup: ResultLookup): JsonValue {
		if (typeof held !== "object" || held === null) return held;
		if (isArray(held)) return mapArray(held, (part) => this.decode(part, lookup));
		if (!Object.hasOwn(held, "$")) return mapObject(held, (part) => this.decode(part, lookup));
		const inner = held["$"] as JsonObject | readonly (string | number)[];
		if (isArray(inner)) return this.#follow(inner as readonly (string | number)[], lookup);
		if (Object.hasOwn(inner, "o")) return mapObject(inner["o"] as JsonObject, (part) => this.decode(part, lookup));
		return this.#openNumber(inner["n"] as number, lookup);
	}

	/** As `open`, without results: in their places stand `{"$result": [<execution id>, ...path]}`. */
	decodeForDisplay(held: JournalValue): JsonValue {
		if (typeof held !== "object" || held === null) return held;
		if (isArray(held)) return mapArray(held, (part) => this.decodeForDisplay(part));
		if (!Object.hasOwn(held, "$")) return mapObject(held, (part) => this.decodeForDisplay(part));
		const inner = held["$"] as JsonObject | readonly (string | number)[];
		if (!isArray(inner) && Object.hasOwn(inner, "o")) return mapObject(inner["o"] as JsonObject, (part) => this.decodeForDisplay(part));
		if (!isArray(inner)) return this.decodeForDisplay(this.#contents.get(inner["n"] as number) ?? null);
		const [source, ...path] = inner as readonly (string | number)[];
		if (typeof source === "string") return { $result: inner };
		return follow(this.decodeForDisplay(this.#contents.get(source ?? -1) ?? null), path);
	}

	/** Takes in what a journal has written: the large values in one of its facts. */
	readFact(fact: JsonValue): void {
		if (typeof fact !== "object" || fact === null) return;
		if (isArray(fact)) {
			for (const part of fact) this.readFact(part);
			return;
		}
		const inner = Object.hasOwn(fact, "$") ? fact["$"] : undefined;
		if (isJsonObject(inner) && typeof inner["n"] === "number") this.#adoptNumber(inner["n"], inner["v"] ?? null);
		// The object that is meant may look like one of these itself.
		else for (const part of Object.values(isJsonObject(inner) && isJsonObject(inner["o"]) ? inner["o"] : fact)) this.readFact(part);
	}

	#adoptNumber(number: number, content: JournalValue): void {
		if (this.#contents.has(number)) return;
		this.#contents.set(number, content);
		this.#next = Math.max(this.#next, number + 1);
		this.readFact(content);
		this.#learn(scanValue(content), number);
	}

	#openNumber(number: number, lookup: ResultLookup): JsonValue {
		return this.decode(this.#contents.get(number) ?? null, lookup);
	}

	#follow([source, ...path]: readonly (string | number)[], lookup: ResultLookup): JsonValue {
		return follow(typeof source === "number" ? this.#openNumber(source, lookup) : (lookup(source ?? "") ?? null), path);
	}

	/** Digests that nobody knew. */
	#learn({ large }: ValueScan, source: string | number): readonly string[] {
		const learned = large.filter(({ digest }) => !this.#known.has(digest));
		for (const { digest, trail, isObject } of learned) {
			this.#known.set(digest, { $: [source, ...toPath(trail)], ...(isObject && { m: true as const }) });
		}
		return learned.map(({ digest }) => digest);
	}
}

/** Whether it is, or stands for, an object, which is merged with the object that a variable was before. */
export function isObjectValue(held: JournalValue): boolean {
	if (!isJsonObject(held)) return false;
	const inner = Object.hasOwn(held, "$") ? held["$"] : undefined;
	if (!isJsonObject(inner)) return inner === undefined || held["m"] === true;
	return Object.hasOwn(inner, "o") || isObjectValue(inner["v"] ?? null);
}

function follow(from: JsonValue, path: readonly (string | number)[]): JsonValue {
	let value = from;
	for (const step of path) {
		if (isArray(value) && typeof step === "number") value = value[step] ?? null;
		else value = isJsonObject(value) && Object.hasOwn(value, step) ? (value[step] ?? null) : null;
	}
	return value;
}
