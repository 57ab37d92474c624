import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/contract/index.ts";
import { findLargeParts, isArray, isSmall, type LargePartScan, mapArray, mapObject, toPath } from "./find-large-parts.ts";

/**
 * Value in the form that the journal stores. Values are stored unchanged, except that an object with the member `$` has one of these
 * meanings:
 *
 * - `{"$": ["<execution id>" | <number>, ...path]}`: a reference to a part of a child's result, or of a value stored elsewhere in the
 *   journal; with `"m": true` if the part is an object
 * - `{"$": {"n": <number>, "v": …}}`: a large value, stored here, and referred to by its number afterwards
 * - `{"$": {"o": {…}}}`: an object that itself has a member `$`
 */
export type JournalValue = JsonValue;

/** Reference to a value in a result or in the journal. */
type Reference = { readonly $: readonly (string | number)[]; readonly m?: true };

/** Returns the result of a child; undefined if it is not loaded. */
export type ResultLookup = (executionId: string) => JsonValue | undefined;

/**
 * Encodes values for the journal so that nothing large is stored twice. A large value that is part of a child's result, or was stored
 * before, becomes a reference. Equal values are recognized by their content, because expressions copy values.
 */
export class JournalValues {
	readonly #contents = new Map<number, JournalValue>();
	/** References to large values, by digest. */
	readonly #references = new Map<string, Reference>();
	/** Digests of the large parts of each result, by execution id. */
	readonly #digestsOfResults = new Map<string, readonly string[]>();
	/** Results whose large parts have not been determined yet. */
	readonly #unscannedResults = new Map<string, JsonValue>();
	#nextNumber = 0;

	/** Encodes a value for the journal. The result must be stored, because later values refer to its new parts. */
	encode(value: JsonValue): JournalValue {
		if (isSmall(value)) return findLargeParts(value, () => undefined).held;
		for (const [executionId, result] of this.#unscannedResults)
			this.#digestsOfResults.set(executionId, this.#register(findLargeParts(result), executionId));
		this.#unscannedResults.clear();
		const scanned = findLargeParts(value, (digest) => this.#references.get(digest));
		if (isSmall(scanned.held)) return scanned.held;
		const number = this.#nextNumber++;
		this.#contents.set(number, scanned.held);
		this.#register(scanned, number);
		return { $: { n: number, v: scanned.held } };
	}

	/** Adds the result of a child, so that values refer to it and to its parts. */
	addResult(executionId: string, result: JsonValue): void {
		if (!isSmall(result)) this.#unscannedResults.set(executionId, result);
	}

	/** Removes the references to a result that was added. */
	removeResult(executionId: string): void {
		this.#unscannedResults.delete(executionId);
		for (const digest of this.#digestsOfResults.get(executionId) ?? []) this.#references.delete(digest);
		this.#digestsOfResults.delete(executionId);
	}

	/** Decodes a value. Results that are not loaded are null. */
	decode(held: JournalValue, lookup: ResultLookup): JsonValue {
		if (typeof held !== "object" || held === null) return held;
		if (isArray(held)) return mapArray(held, (part) => this.decode(part, lookup));
		if (!Object.hasOwn(held, "$")) return mapObject(held, (part) => this.decode(part, lookup));
		const inner = held["$"] as JsonObject | readonly (string | number)[];
		if (isArray(inner)) return this.#followReference(inner as readonly (string | number)[], lookup);
		if (Object.hasOwn(inner, "o")) return mapObject(inner["o"] as JsonObject, (part) => this.decode(part, lookup));
		return this.#decodeNumber(inner["n"] as number, lookup);
	}

	/** Decodes a value without loading results: each result is replaced by `{"$result": [<execution id>, ...path]}`. */
	decodeForDisplay(held: JournalValue): JsonValue {
		if (typeof held !== "object" || held === null) return held;
		if (isArray(held)) return mapArray(held, (part) => this.decodeForDisplay(part));
		if (!Object.hasOwn(held, "$")) return mapObject(held, (part) => this.decodeForDisplay(part));
		const inner = held["$"] as JsonObject | readonly (string | number)[];
		if (!isArray(inner) && Object.hasOwn(inner, "o")) return mapObject(inner["o"] as JsonObject, (part) => this.decodeForDisplay(part));
		if (!isArray(inner)) return this.decodeForDisplay(this.#contents.get(inner["n"] as number) ?? null);
		const [source, ...path] = inner as readonly (string | number)[];
		if (typeof source === "string") return { $result: inner };
		return followPath(this.decodeForDisplay(this.#contents.get(source ?? -1) ?? null), path);
	}

	/** Reads a fact from a journal, and registers the large values in it. */
	readFact(fact: JsonValue): void {
		if (typeof fact !== "object" || fact === null) return;
		if (isArray(fact)) {
			for (const part of fact) this.readFact(part);
			return;
		}
		const inner = Object.hasOwn(fact, "$") ? fact["$"] : undefined;
		if (isJsonObject(inner) && typeof inner["n"] === "number") this.#registerNumber(inner["n"], inner["v"] ?? null);
		// An escaped object may itself look like a stored value.
		else for (const part of Object.values(isJsonObject(inner) && isJsonObject(inner["o"]) ? inner["o"] : fact)) this.readFact(part);
	}

	#registerNumber(number: number, content: JournalValue): void {
		if (this.#contents.has(number)) return;
		this.#contents.set(number, content);
		this.#nextNumber = Math.max(this.#nextNumber, number + 1);
		this.readFact(content);
		this.#register(findLargeParts(content), number);
	}

	#decodeNumber(number: number, lookup: ResultLookup): JsonValue {
		return this.decode(this.#contents.get(number) ?? null, lookup);
	}

	#followReference([source, ...path]: readonly (string | number)[], lookup: ResultLookup): JsonValue {
		return followPath(typeof source === "number" ? this.#decodeNumber(source, lookup) : (lookup(source ?? "") ?? null), path);
	}

	/** Registers large parts that are not registered yet. Returns their digests. */
	#register({ large }: LargePartScan, source: string | number): readonly string[] {
		const newParts = large.filter(({ digest }) => !this.#references.has(digest));
		for (const { digest, trail, isObject } of newParts) {
			this.#references.set(digest, { $: [source, ...toPath(trail)], ...(isObject && { m: true as const }) });
		}
		return newParts.map(({ digest }) => digest);
	}
}

/** Returns true if the value is an object or a reference to one. Such a value is merged with the previous object of its variable. */
export function isObjectValue(held: JournalValue): boolean {
	if (!isJsonObject(held)) return false;
	const inner = Object.hasOwn(held, "$") ? held["$"] : undefined;
	if (!isJsonObject(inner)) return inner === undefined || held["m"] === true;
	return Object.hasOwn(inner, "o") || isObjectValue(inner["v"] ?? null);
}

function followPath(from: JsonValue, path: readonly (string | number)[]): JsonValue {
	let value = from;
	for (const step of path) {
		if (isArray(value) && typeof step === "number") value = value[step] ?? null;
		else value = isJsonObject(value) && Object.hasOwn(value, step) ? (value[step] ?? null) : null;
	}
	return value;
}
