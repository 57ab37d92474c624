import type { Budget } from "../../templates/budget.ts";
import type { Context } from "../context.ts";
import { Stream, type YaqlValue } from "../values.ts";
import type { Parameter } from "./parameters.ts";

/** Services that a function may use in addition to its arguments. */
export interface CallContext {
	readonly budget: Budget;
	/** Context of the call. */
	readonly context: Context;
}

/** Overload of a function. */
export interface FunctionEntry {
	readonly name: string;
	/** Forms of the call: `name(x)`, `x.name()`, or both. */
	readonly callForm: "function" | "method" | "both";
	readonly parameters: readonly Parameter<unknown>[];
	run(values: readonly unknown[], call: CallContext): YaqlValue;
}

type ValuesOf<P extends readonly Parameter<unknown>[]> = { [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };
type RunFunction<P extends readonly Parameter<unknown>[]> = (call: CallContext, ...values: ValuesOf<P>) => YaqlValue;

const defineWith =
	(use: FunctionEntry["callForm"]) =>
	<const P extends readonly Parameter<unknown>[]>(name: string, parameters: P, run: RunFunction<P>): FunctionEntry => ({
		name,
		callForm: use,
		parameters,
		run: (values, call) => run(call, ...(values as ValuesOf<P>)),
	});

/** Defines one overload of a function. Overloads of a name are distinguished by the types of their arguments. */
export const defineFunction = defineWith("function");
export const defineMethod = defineWith("method");
export const defineBoth = defineWith("both");

type StreamFunction<P extends readonly Parameter<unknown>[]> = (call: CallContext, ...values: ValuesOf<P>) => Iterable<YaqlValue>;

const defineStreamWith = (callForm: FunctionEntry["callForm"]) => {
	const define = defineWith(callForm);
	return <const P extends readonly Parameter<unknown>[]>(name: string, parameters: P, run: StreamFunction<P>): FunctionEntry =>
		define(name, parameters, (call, ...values) => new Stream(run(call, ...values)));
};

/** Defines an overload whose result is a stream. With a generator function, elements are computed when they are needed. */
export const defineStreamFunction = defineStreamWith("function");
export const defineStreamMethod = defineStreamWith("method");
export const defineStreamBoth = defineStreamWith("both");
