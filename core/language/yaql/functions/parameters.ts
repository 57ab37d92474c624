import { isFloat } from "../../templates/values.ts";
import type { Context } from "../context.ts";
import { DateTime, TimeSpan } from "../date-time.ts";
import { RegexValue } from "../regex-value.ts";
import { isList, isObject, numberOf, OrderedStream, type YaqlList, type YaqlObject, type YaqlValue } from "../values.ts";

/** Unevaluated argument. Each call evaluates it with the elements as `$`, `$2` and so on. */
export type Lambda = (...elements: readonly YaqlValue[]) => YaqlValue;

/** Argument of a call, which can be read as a value or as a lambda. */
export interface Argument {
	/** Returns the value, which is evaluated once. */
	value(): YaqlValue;
	readonly lambda: Lambda;
	/** Evaluates the argument in another context. */
	evaluateIn(context: Context): YaqlValue;
}

/** Argument of the form `key => value`. */
export interface ArgumentPair {
	/** Name, if the key is a word or a string; otherwise undefined. */
	readonly name: string | undefined;
	readonly key: Argument;
	readonly value: Argument;
}

/** Result of `Parameter.convert` for an argument of another type. */
export const mismatch = Symbol("an argument of another type");

/** Parameter of a function. The last parameter may accept all remaining arguments, or all pairs. */
export interface Parameter<T> {
	readonly name: string;
	readonly arity: "one" | "rest" | "pairs";
	/** Value of the parameter if the argument is absent. If it is not set, the argument is required. */
	readonly fallback?: { readonly value: unknown };
	/** Converts an argument for the function, or returns `mismatch`. A `rest` parameter calls it for each argument. */
	readonly convert?: (argument: Argument) => unknown;
	/** Type of the converted value, for the type checker only; never set. */
	readonly type?: T;
}

function singleParameter<T>(name: string, read: (value: YaqlValue) => T | typeof mismatch): Parameter<T> {
	return { name, arity: "one", convert: (argument) => read(argument.value()) };
}

export const any = (name: string) => singleParameter<YaqlValue>(name, (value) => value);
export const text = (name: string) => singleParameter<string>(name, (value) => (typeof value === "string" ? value : mismatch));
export const flag = (name: string) => singleParameter<boolean>(name, (value) => (typeof value === "boolean" ? value : mismatch));
export const list = (name: string) => singleParameter<YaqlList>(name, (value) => (isList(value) ? value : mismatch));
/** Parameter for a list that `orderBy` or `thenBy` has sorted. */
export const ordered = (name: string) =>
	singleParameter<OrderedStream>(name, (value) => (value instanceof OrderedStream ? value : mismatch));
export const object = (name: string) => singleParameter<YaqlObject>(name, (value) => (isObject(value) ? value : mismatch));
export const pattern = (name: string) => singleParameter<RegexValue>(name, (value) => (value instanceof RegexValue ? value : mismatch));
export const dateTime = (name: string) => singleParameter<DateTime>(name, (value) => (value instanceof DateTime ? value : mismatch));
export const timeSpan = (name: string) => singleParameter<TimeSpan>(name, (value) => (value instanceof TimeSpan ? value : mismatch));
/** Parameter for a number of any type, which keeps a float a float. */
export const numeric = (name: string) => singleParameter<YaqlValue>(name, (value) => (numberOf(value) === undefined ? mismatch : value));
/** Parameter for a safe integer. As in Python, true is 1. */
export const integer = (name: string) =>
	singleParameter<number>(name, (value) => {
		if (typeof value === "boolean") return Number(value);
		return typeof value === "number" && !isFloat(value) ? value : mismatch;
	});

/** Parameter for an integer that may exceed `Number.MAX_SAFE_INTEGER`. */
export const wholeNumber = (name: string) =>
	singleParameter<number | bigint>(name, (value) => {
		if (typeof value === "boolean") return Number(value);
		return typeof value === "bigint" || (typeof value === "number" && !isFloat(value)) ? value : mismatch;
	});

export function lambda(name: string): Parameter<Lambda> {
	return { name, arity: "one", convert: (argument) => argument.lambda };
}

/** Parameter that is evaluated in a context which the function creates. */
export function body(name: string): Parameter<Argument["evaluateIn"]> {
	return { name, arity: "one", convert: (argument) => (context: Context) => argument.evaluateIn(context) };
}

export function nullable<T>(parameter: Parameter<T>): Parameter<T | null> {
	const { convert } = parameter;
	return { ...parameter, convert: (argument) => (argument.value() === null ? null : convert?.(argument)) } as Parameter<T | null>;
}

export function optional<T>(parameter: Parameter<T>): Parameter<T | undefined>;
export function optional<T>(parameter: Parameter<T>, value: T): Parameter<T>;
export function optional<T>(parameter: Parameter<T>, value?: T): Parameter<T | undefined> {
	return { ...parameter, fallback: { value } };
}

/** Parameter for all remaining positional arguments. */
export function rest<T>(parameter: Parameter<T>): Parameter<readonly T[]> {
	return { ...parameter, arity: "rest" } as Parameter<readonly T[]>;
}

/** Parameter for all arguments of the form `key => value`. */
export const pairs: Parameter<readonly ArgumentPair[]> = { name: "pairs", arity: "pairs" };
