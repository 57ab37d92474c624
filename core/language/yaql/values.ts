import { toCanonicalInteger } from "../../contract/index.ts";
import type { Budget } from "../templates/budget.ts";
import { Float, isFloat } from "../templates/values.ts";
import { YaqlError } from "./errors.ts";

/**
 * Value of an expression: JSON, or an internal type that is converted before it leaves the expression. No value is callable, and members
 * are own properties only, so that an expression cannot reach a prototype or constructor.
 */
export type YaqlValue = string | number | bigint | boolean | null | Float | Stream | InternalValue | readonly YaqlValue[] | YaqlObject;

/** Value that JSON cannot represent. It is converted before it leaves an expression. */
export abstract class InternalValue {
	/** Name of the type, for messages. */
	abstract readonly typeName: string;
}

export interface YaqlObject {
	readonly [key: string]: YaqlValue;
}

/** List whose elements are computed when they are first needed, each once. A stream may be infinite. */
export class Stream {
	readonly #source: Iterator<YaqlValue>;
	readonly #readElements: YaqlValue[] = [];
	#isDone = false;

	constructor(source: Iterable<YaqlValue>) {
		this.#source = source[Symbol.iterator]();
	}

	*[Symbol.iterator](): Generator<YaqlValue, void> {
		for (let index = 0; ; index++) {
			if (index >= this.#readElements.length && !this.#advance()) return;
			yield this.#readElements[index] as YaqlValue;
		}
	}

	#advance(): boolean {
		if (this.#isDone) return false;
		const next = this.#source.next();
		if (next.done === true) this.#isDone = true;
		else this.#readElements.push(next.value);
		return !this.#isDone;
	}
}

/** Sorted stream that keeps its comparators, so that `thenBy` can sort it further. */
export class OrderedStream extends Stream {
	readonly elements: readonly YaqlValue[];
	readonly comparators: readonly Order[];

	constructor(elements: readonly YaqlValue[], orders: readonly Order[], sortedElements: Iterable<YaqlValue>) {
		super(sortedElements);
		this.elements = elements;
		this.comparators = orders;
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

/** Yields the elements of a list, each of which costs a step. */
export function* withStepCost(list: Iterable<YaqlValue>, budget: Budget): Generator<YaqlValue, void> {
	for (const element of list) {
		budget.spendSteps();
		yield element;
	}
}

/** Returns all elements. The budget stops an infinite stream. */
export function toArray(list: YaqlList, budget: Budget): readonly YaqlValue[] {
	if (!(list instanceof Stream)) return list as readonly YaqlValue[];
	return [...withStepCost(list, budget)];
}

/** Returns the number of a value; undefined if it is not a number. Booleans are not numbers. */
export function numberOf(value: YaqlValue): number | bigint | undefined {
	if (typeof value === "number" || typeof value === "bigint") return value;
	return value instanceof Float ? value.value : undefined;
}

export function toFloat(number: number): YaqlValue {
	if (!Number.isFinite(number)) throw new YaqlError("OverflowError", "the result is not a finite number");
	return Number.isInteger(number) ? new Float(number) : number;
}

/** Returns a number as an exact whole number. */
export function toInteger(number: number | bigint): number | bigint {
	if (typeof number === "bigint") return toCanonicalInteger(number);
	if (!Number.isFinite(number)) throw new YaqlError("OverflowError", "the result is not a finite number");
	return Number.isSafeInteger(number) ? number + 0 : BigInt(number);
}

/** Returns true if a value is true by the rules of Python. Only the first element of a stream is computed. */
export function isTrue(value: YaqlValue): boolean {
	if (value === null || value === "" || value === false) return false;
	const number = numberOf(value);
	if (number !== undefined) return Number(number) !== 0;
	if (value instanceof Stream) return value[Symbol.iterator]().next().done !== true;
	if (Array.isArray(value)) return value.length > 0;
	return isObject(value) ? Object.keys(value).length > 0 : true;
}

/** Returns the type name of a value for messages. */
export function typeName(value: YaqlValue): string {
	if (value === null) return "null";
	if (typeof value === "string") return "string";
	if (typeof value === "boolean") return "boolean";
	if (numberOf(value) !== undefined) return isFloat(value) ? "float" : "integer";
	if (isList(value)) return "list";
	if (isObject(value)) return "object";
	return value instanceof InternalValue ? value.typeName : "value";
}

/** Returns the member name that a value denotes. Names are strings, so 1 and "1" are the same name. */
export function toKey(value: YaqlValue): string {
	if (typeof value === "string") return value;
	const number = numberOf(value);
	if (number !== undefined) return String(number);
	if (value === null || typeof value === "boolean") return String(value);
	throw new YaqlError("TypeError", `the key of an object must be a string, not ${typeName(value)}`);
}
