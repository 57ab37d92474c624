import { toWholeNumber } from "../../contract/index.ts";
import type { Budget } from "../templates/budget.ts";
import { Float } from "../templates/values.ts";
import { YaqlError } from "./errors.ts";
import { InternalValue } from "./internal-value.ts";

/**
 * What expressions work on: JSON, and internal kinds that become JSON when they leave. Nothing here is callable, and members are
 * own properties only, so that no prototype or constructor can be reached.
 */
export type YaqlValue = string | number | bigint | boolean | null | Float | Stream | InternalValue | readonly YaqlValue[] | YaqlObject;

export interface YaqlObject {
	readonly [key: string]: YaqlValue;
}

/** Elements that are made when they are asked for, each once. It may have no end. */
export class Stream {
	readonly #source: Iterator<YaqlValue>;
	readonly #known: YaqlValue[] = [];
	#isDone = false;

	constructor(source: Iterable<YaqlValue>) {
		this.#source = source[Symbol.iterator]();
	}

	*[Symbol.iterator](): Generator<YaqlValue, void> {
		for (let index = 0; ; index++) {
			if (index >= this.#known.length && !this.#advance()) return;
			yield this.#known[index] as YaqlValue;
		}
	}

	#advance(): boolean {
		if (this.#isDone) return false;
		const next = this.#source.next();
		if (next.done === true) this.#isDone = true;
		else this.#known.push(next.value);
		return !this.#isDone;
	}
}

/** What can be sorted further by `thenBy`. */
export class OrderedStream extends Stream {
	readonly elements: readonly YaqlValue[];
	readonly orders: readonly Order[];

	constructor(elements: readonly YaqlValue[], orders: readonly Order[], sorted: Iterable<YaqlValue>) {
		super(sorted);
		this.elements = elements;
		this.orders = orders;
	}
}

export type Order = (left: YaqlValue, right: YaqlValue) => number;

export type YaqlList = readonly YaqlValue[] | Stream;

export function isList(value: YaqlValue): value is YaqlList {
	return Array.isArray(value) || value instanceof Stream;
}

export function isObject(value: YaqlValue): value is YaqlObject {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}

/** The elements one by one, each of which costs a step. */
export function* stepping(list: Iterable<YaqlValue>, budget: Budget): Generator<YaqlValue, void> {
	for (const element of list) {
		budget.step();
		yield element;
	}
}

/** All elements. Without end, the budget ends it. */
export function toArray(list: YaqlList, budget: Budget): readonly YaqlValue[] {
	if (!(list instanceof Stream)) return list as readonly YaqlValue[];
	return [...stepping(list, budget)];
}

/** The number that a value is, or undefined; booleans are none. */
export function numberOf(value: YaqlValue): number | bigint | undefined {
	if (typeof value === "number" || typeof value === "bigint") return value;
	return value instanceof Float ? value.value : undefined;
}

export function isFloat(value: YaqlValue): boolean {
	return value instanceof Float || (typeof value === "number" && !Number.isInteger(value));
}

export function toFloat(number: number): YaqlValue {
	if (!Number.isFinite(number)) throw new YaqlError("OverflowError", "the result is not a finite number");
	return Number.isInteger(number) ? new Float(number) : number;
}

/** A whole number that is exact. */
export function toInteger(number: number | bigint): number | bigint {
	if (typeof number === "bigint") return toWholeNumber(number);
	if (!Number.isFinite(number)) throw new YaqlError("OverflowError", "the result is not a finite number");
	return Number.isSafeInteger(number) ? number + 0 : BigInt(number);
}

/** Of a list that may be endless only whether it begins counts. */
export function isTrue(value: YaqlValue): boolean {
	if (value === null || value === "" || value === false) return false;
	const number = numberOf(value);
	if (number !== undefined) return Number(number) !== 0;
	if (value instanceof Stream) return value[Symbol.iterator]().next().done !== true;
	if (Array.isArray(value)) return value.length > 0;
	return isObject(value) ? Object.keys(value).length > 0 : true;
}

/** Name of the type, for messages. */
export function typeName(value: YaqlValue): string {
	if (value === null) return "null";
	if (typeof value === "string") return "text";
	if (typeof value === "boolean") return "boolean";
	if (numberOf(value) !== undefined) return isFloat(value) ? "float" : "integer";
	if (isList(value)) return "list";
	if (isObject(value)) return "object";
	return value instanceof InternalValue ? value.typeName : "value";
}

/** The key of an object that a value stands for: names are texts, so that 1 and "1" are the same. */
export function toKey(value: YaqlValue): string {
	if (typeof value === "string") return value;
	const number = numberOf(value);
	if (number !== undefined) return String(number);
	if (value === null || typeof value === "boolean") return String(value);
	throw new YaqlError("TypeError", `the key of an object must be a text, not ${typeName(value)}`);
}
