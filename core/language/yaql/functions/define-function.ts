import type { Budget } from "../../templates/budget.ts";
import type { Context } from "../context.ts";
import { DateTime, TimeSpan } from "../date-time.ts";
import { Pattern } from "../pattern.ts";
import { isFloat, isList, isObject, numberOf, type YaqlList, type YaqlObject, type YaqlValue } from "../values.ts";

/** An argument that was not evaluated: evaluates it for elements, which it knows as `$`, `$2` … */
export type Lambda = (...elements: readonly YaqlValue[]) => YaqlValue;

/** An argument of a call, as a value or as a lambda. */
export interface Argument {
	/** Evaluated once. */
	value(): YaqlValue;
	readonly lambda: Lambda;
	/** Evaluates it with other variables. */
	within(context: Context): YaqlValue;
}

/** What stands around `=>`. */
export interface Pair {
	/** The name where a word or text stands there. */
	readonly name: string | undefined;
	readonly key: Argument;
	readonly value: Argument;
}

export const mismatch = Symbol("an argument of another type");

/** One parameter of a function. The last one may take all arguments that are left, or all pairs. */
export interface Parameter<T> {
	readonly name: string;
	readonly takes: "one" | "rest" | "pairs";
	/** What it is when it is not given. */
	readonly fallback?: { readonly value: unknown };
	/** The argument as the function gets it, or `mismatch`; of `rest` each one. */
	readonly read?: (argument: Argument) => unknown;
	/** Only for the type. */
	readonly type?: T;
}

/** What a function may use beside its arguments. */
export interface Call {
	readonly budget: Budget;
	/** Where it is called. */
	readonly context: Context;
}

export interface FunctionEntry {
	readonly name: string;
	/** Whether it is called as `name(x)`, as `x.name()`, or both. */
	readonly use: "function" | "method" | "both";
	readonly parameters: readonly Parameter<unknown>[];
	run(values: readonly unknown[], call: Call): YaqlValue;
}

type ValuesOf<P extends readonly Parameter<unknown>[]> = { [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };
type Run<P extends readonly Parameter<unknown>[]> = (call: Call, ...values: ValuesOf<P>) => YaqlValue;

const define =
	(use: FunctionEntry["use"]) =>
	<const P extends readonly Parameter<unknown>[]>(name: string, parameters: P, run: Run<P>): FunctionEntry => ({
		name,
		use,
		parameters,
		run: (values, call) => run(call, ...(values as ValuesOf<P>)),
	});

/** One of its forms; several of the same name are told apart by the types of their arguments. */
export const defineFunction = define("function");
export const defineMethod = define("method");
export const defineBoth = define("both");

function one<T>(name: string, read: (value: YaqlValue) => T | typeof mismatch): Parameter<T> {
	return { name, takes: "one", read: (argument) => read(argument.value()) };
}

export const any = (name: string) => one<YaqlValue>(name, (value) => value);
export const text = (name: string) => one<string>(name, (value) => (typeof value === "string" ? value : mismatch));
export const flag = (name: string) => one<boolean>(name, (value) => (typeof value === "boolean" ? value : mismatch));
export const list = (name: string) => one<YaqlList>(name, (value) => (isList(value) ? value : mismatch));
export const object = (name: string) => one<YaqlObject>(name, (value) => (isObject(value) ? value : mismatch));
export const pattern = (name: string) => one<Pattern>(name, (value) => (value instanceof Pattern ? value : mismatch));
export const dateTime = (name: string) => one<DateTime>(name, (value) => (value instanceof DateTime ? value : mismatch));
export const timeSpan = (name: string) => one<TimeSpan>(name, (value) => (value instanceof TimeSpan ? value : mismatch));
/** A number as it is, so that a float stays one. */
export const numeric = (name: string) => one<YaqlValue>(name, (value) => (numberOf(value) === undefined ? mismatch : value));
/** True is 1 here, as in the reference. */
export const integer = (name: string) =>
	one<number>(name, (value) => {
		if (typeof value === "boolean") return Number(value);
		return typeof value === "number" && !isFloat(value) ? value : mismatch;
	});

/** An integer that may be beyond `Number.MAX_SAFE_INTEGER`. */
export const wholeNumber = (name: string) =>
	one<number | bigint>(name, (value) => {
		if (typeof value === "boolean") return Number(value);
		return typeof value === "bigint" || (typeof value === "number" && !isFloat(value)) ? value : mismatch;
	});

export function lambda(name: string): Parameter<Lambda> {
	return { name, takes: "one", read: (argument) => argument.lambda };
}

/** Evaluated with variables that the function sets. */
export function body(name: string): Parameter<Argument["within"]> {
	return { name, takes: "one", read: (argument) => (context: Context) => argument.within(context) };
}

export function nullable<T>(parameter: Parameter<T>): Parameter<T | null> {
	const { read } = parameter;
	return { ...parameter, read: (argument) => (argument.value() === null ? null : read?.(argument)) } as Parameter<T | null>;
}

export function optional<T>(parameter: Parameter<T>): Parameter<T | undefined>;
export function optional<T>(parameter: Parameter<T>, value: T): Parameter<T>;
export function optional<T>(parameter: Parameter<T>, value?: T): Parameter<T | undefined> {
	return { ...parameter, fallback: { value } };
}

/** All positional arguments that are left. */
export function rest<T>(parameter: Parameter<T>): Parameter<readonly T[]> {
	return { ...parameter, takes: "rest" } as Parameter<readonly T[]>;
}

/** All that have a name or a condition in front. */
export const pairs: Parameter<readonly Pair[]> = { name: "pairs", takes: "pairs" };
