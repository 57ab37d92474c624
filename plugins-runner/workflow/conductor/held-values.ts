import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../../../core/contract/index.ts";

/**
 * A value as the journal holds it: as it is, but for objects with the member `$`, which stand for
 *
 * - `{"$": ["<execution id>" | <number>, ...path]}`: a part of a child's result, or of a value that is written elsewhere; with `"m": true` when
 *   it is an object
 * - `{"$": {"n": <number>, "v": …}}`: a large value, written here and referred to by its number afterwards
 * - `{"$": {"o": {…}}}`: an object that has a member `$` itself
 */
export type Held = JsonValue;

/** Where a value is found again. */
type Reference = { readonly $: readonly (string | number)[]; readonly m?: true };

/** A path from its end to its source. */
interface Trail {
	readonly step: string | number;
	readonly before: Trail | undefined;
	readonly depth: number;
}

/** Finds the result of a child; undefined: not loaded. */
export type ResultLookup = (executionId: string) => JsonValue | undefined;

/** Bytes from which on a value is worth a reference. */
const largeBytes = 256;
/** What is nested deeper is refused. */
const deepest = 1000;

/**
 * Writes values for the journal so that nothing large is written twice: what is the result of a child, or a part of it, becomes a reference to
 * it, and so does what has been written before.
 */
export class HeldValues {
	readonly #contents = new Map<number, Held>();
	readonly #objects = new WeakMap<object, Reference>();
	readonly #texts = new Map<string, Reference>();
	#next = 0;

	/** The value for the journal, which must be written: what is new in it is referred to from now on. */
	hold(value: JsonValue): Held {
		if (isSmall(value)) return this.#parts(value, 0);
		const known = this.#reference(value);
		if (known !== undefined) return known;
		const content = this.#parts(value, 0);
		if (content !== value && isSmall(content)) return content;
		const number = this.#next++;
		this.#contents.set(number, content);
		this.index(value, number);
		return { $: { n: number, v: content } };
	}

	/** The value again. Of what is not loaded it has null. */
	open(held: Held, lookup: ResultLookup): JsonValue {
		if (typeof held !== "object" || held === null) return held;
		if (isArray(held)) return mapArray(held, (part) => this.open(part, lookup));
		if (!Object.hasOwn(held, "$")) return mapObject(held, (part) => this.open(part, lookup));
		const inner = held["$"] as JsonObject | readonly (string | number)[];
		if (isArray(inner)) return this.#follow(inner as readonly (string | number)[], lookup);
		if (Object.hasOwn(inner, "o")) return mapObject(inner["o"] as JsonObject, (part) => this.open(part, lookup));
		return this.#openNumber(inner["n"] as number, lookup);
	}

	/** As `open`, without results: in their places stand `{"$result": [<execution id>, ...path]}`. */
	show(held: Held): JsonValue {
		if (typeof held !== "object" || held === null) return held;
		if (isArray(held)) return mapArray(held, (part) => this.show(part));
		if (!Object.hasOwn(held, "$")) return mapObject(held, (part) => this.show(part));
		const inner = held["$"] as JsonObject | readonly (string | number)[];
		if (!isArray(inner) && Object.hasOwn(inner, "o")) return mapObject(inner["o"] as JsonObject, (part) => this.show(part));
		if (!isArray(inner)) return this.show(this.#contents.get(inner["n"] as number) ?? null);
		const [source, ...path] = inner as readonly (string | number)[];
		if (typeof source === "string") return { $result: inner };
		return follow(this.show(this.#contents.get(source ?? -1) ?? null), path);
	}

	/** Takes in what a journal has written: the large values in one of its facts. */
	adopt(fact: JsonValue): void {
		if (typeof fact !== "object" || fact === null) return;
		if (isArray(fact)) {
			for (const part of fact) this.adopt(part);
			return;
		}
		const inner = Object.hasOwn(fact, "$") ? fact["$"] : undefined;
		if (isJsonObject(inner) && typeof inner["n"] === "number") this.#adoptNumber(inner["n"], inner["v"] ?? null);
		else for (const part of Object.values(fact)) this.adopt(part);
	}

	/** Makes the large parts of a value known by where they are: in the result of a child, or in a value with a number. The texts among them. */
	index(value: JsonValue, source: string | number): readonly string[] {
		const texts: string[] = [];
		this.#indexPart(value, { step: source, before: undefined, depth: 0 }, texts);
		return texts;
	}

	/** Forgets texts that were indexed, which are kept by it. */
	forget(texts: readonly string[]): void {
		for (const text of texts) this.#texts.delete(text);
	}

	#adoptNumber(number: number, content: Held): void {
		if (this.#contents.has(number)) return;
		this.#contents.set(number, content);
		this.#next = Math.max(this.#next, number + 1);
		this.index(content, number);
		this.adopt(content);
	}

	#openNumber(number: number, lookup: ResultLookup): JsonValue {
		const value = this.open(this.#contents.get(number) ?? null, lookup);
		if (typeof value === "object" && value !== null && !this.#objects.has(value)) this.#objects.set(value, toReference(value, [number]));
		return value;
	}

	#follow([source, ...path]: readonly (string | number)[], lookup: ResultLookup): JsonValue {
		return follow(typeof source === "number" ? this.#openNumber(source, lookup) : (lookup(source ?? "") ?? null), path);
	}

	#reference(value: JsonValue): Reference | undefined {
		if (typeof value === "string") return this.#texts.get(value);
		return typeof value === "object" && value !== null ? this.#objects.get(value) : undefined;
	}

	/** The value with references where they are due; itself when there are none. */
	#parts(value: JsonValue, depth: number): Held {
		if (typeof value !== "object" || value === null) return value;
		if (depth > deepest) throw new SvcError("SVC_INVALID", `the value is nested more than ${deepest} levels deep`);
		const toPart = (part: JsonValue) => (isSmall(part) ? undefined : this.#reference(part)) ?? this.#parts(part, depth + 1);
		if (isArray(value)) return mapArray(value, toPart);
		const parts = mapObject(value, toPart);
		return Object.hasOwn(value, "$") ? { $: { o: parts } } : parts;
	}

	/** Bytes of the part, which is known by its path when it is large. */
	#indexPart(value: JsonValue, trail: Trail, texts: string[]): number {
		if (typeof value === "string") {
			if (value.length >= largeBytes && !this.#texts.has(value)) {
				this.#texts.set(value, toReference(value, toPath(trail)));
				texts.push(value);
			}
			return value.length + 2;
		}
		if (typeof value !== "object" || value === null || trail.depth > deepest) return 8;
		// What holds references is found by the object that it is opened to.
		if (!isArray(value) && Object.hasOwn(value, "$")) return 0;
		let bytes = 2;
		const add = (part: JsonValue, step: string | number) => {
			bytes += 4 + this.#indexPart(part, { step, before: trail, depth: trail.depth + 1 }, texts);
		};
		if (isArray(value)) value.forEach(add);
		else for (const [name, part] of Object.entries(value)) add(part, name);
		if (bytes >= largeBytes && !this.#objects.has(value)) this.#objects.set(value, toReference(value, toPath(trail)));
		return bytes;
	}
}

/** Whether it is, or stands for, an object, which is merged with the object that a variable was before. */
export function isHeldObject(held: Held): boolean {
	if (!isJsonObject(held)) return false;
	const inner = Object.hasOwn(held, "$") ? held["$"] : undefined;
	if (!isJsonObject(inner)) return inner === undefined || held["m"] === true;
	return Object.hasOwn(inner, "o") || isHeldObject(inner["v"] ?? null);
}

/** About the bytes of a value as JSON. */
export function toBytes(value: JsonValue): number {
	return measure(value, Number.POSITIVE_INFINITY);
}

export function isSmall(value: JsonValue): boolean {
	return measure(value, largeBytes) < largeBytes;
}

export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
	return Array.isArray(value);
}

/** Stops when it has found as much as `most`. */
function measure(value: JsonValue, most: number, depth = 0): number {
	if (typeof value === "string") return value.length + 2;
	if (typeof value !== "object" || value === null || depth > deepest) return 8;
	let bytes = 2;
	if (isArray(value)) {
		for (let at = 0; at < value.length && bytes < most; at++) bytes += 1 + measure(value[at] ?? null, most - bytes, depth + 1);
		return bytes;
	}
	for (const name in value) {
		if (bytes >= most) break;
		bytes += name.length + 4 + measure(value[name] ?? null, most - bytes, depth + 1);
	}
	return bytes;
}

function toReference(value: JsonValue, path: readonly (string | number)[]): Reference {
	return isJsonObject(value) ? { $: path, m: true } : { $: path };
}

function follow(from: JsonValue, path: readonly (string | number)[]): JsonValue {
	let value = from;
	for (const step of path) {
		if (isArray(value) && typeof step === "number") value = value[step] ?? null;
		else value = isJsonObject(value) && Object.hasOwn(value, step) ? (value[step] ?? null) : null;
	}
	return value;
}

function toPath(trail: Trail): readonly (string | number)[] {
	const path: (string | number)[] = [];
	for (let at: Trail | undefined = trail; at !== undefined; at = at.before) path.push(at.step);
	return path.reverse();
}

function mapArray(value: readonly JsonValue[], change: (part: JsonValue) => JsonValue): readonly JsonValue[] {
	const changed = value.map(change);
	return changed.every((part, at) => part === value[at]) ? value : changed;
}

function mapObject(value: JsonObject, change: (part: JsonValue) => JsonValue): JsonObject {
	const changed = Object.entries(value).map(([name, part]) => [name, change(part)] as const);
	return changed.every(([name, part]) => part === value[name]) ? value : Object.fromEntries(changed);
}
