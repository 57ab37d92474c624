import type { JsonValue } from "../../contract/index.ts";
import type { Budget } from "../templates/budget.ts";
import type { Value } from "../templates/values.ts";
import { Context } from "./context.ts";
import { settle } from "./conversions.ts";
import { TimeSpan } from "./date-time.ts";
import { MissingKeyError, YaqlError } from "./errors.ts";
import { bind, type Given } from "./functions/bind.ts";
import type { Argument, FunctionEntry, Pair } from "./functions/define-function.ts";
import { functionTable } from "./functions/function-table.ts";
import { noMatch, operate } from "./operators.ts";
import type { ArgumentExpressions, Expression } from "./syntax.ts";
import {
	isFloat,
	isList,
	isObject,
	isTrue,
	numberOf,
	Stream,
	stepping,
	toArray,
	toFloat,
	toInteger,
	toKey,
	typeName,
	type YaqlValue,
} from "./values.ts";

/** A function that is none of the language. */
export type OutsideFunction = (positional: readonly Value[], named: ReadonlyMap<string, Value>) => YaqlValue;

/** Where an expression finds what it does not bring along. */
export interface Surroundings {
	/** Undefined when there is none of that name. */
	function(name: string): OutsideFunction | undefined;
	/** What a text holds that is JSON of an object or a list; undefined for other texts. */
	fromJsonText(text: string): JsonValue | undefined;
}

/** Walks expressions. */
export class Evaluator {
	readonly #surroundings: Surroundings;
	readonly #budget: Budget;

	constructor(surroundings: Surroundings, budget: Budget) {
		this.#surroundings = surroundings;
		this.#budget = budget;
	}

	evaluate(expression: Expression, context: Context): YaqlValue {
		this.#budget.step();
		switch (expression.kind) {
			case "constant":
				return expression.isFloat === true ? toFloat(Number(expression.value)) : expression.value;
			case "word":
				return expression.text;
			case "variable":
				return context.get(expression.name);
			case "list":
				return expression.items.map((item) => this.evaluate(item, context));
			case "object":
				return this.#object(expression.entries, context);
			case "call":
				return this.#call(expression.name, expression.arguments, context);
			case "method":
				return this.#method(expression, context);
			case "property": {
				const object = this.evaluate(expression.object, context);
				return object === null && expression.isSafe ? null : this.#property(object, expression.name);
			}
			case "index":
				return this.#index(expression, context);
			case "sign":
				return this.#sign(expression.operator, this.evaluate(expression.operand, context));
			case "not":
				return !isTrue(this.evaluate(expression.operand, context));
			case "and":
			case "or":
				return this.#logical(expression.kind, expression.operands, context);
			case "chain":
				return this.#chain(expression, context);
			case "arrow":
				return this.#arrow(expression, context);
		}
	}

	#chain({ first, rest }: Extract<Expression, { kind: "chain" }>, context: Context): YaqlValue {
		let left = this.evaluate(first, context);
		for (const [operator, operand] of rest) left = operate(operator, left, this.evaluate(operand, context), this.#budget);
		return left;
	}

	/** As in the reference, the value of the operand that decided. */
	#logical(kind: "and" | "or", operands: readonly Expression[], context: Context): YaqlValue {
		let value: YaqlValue = null;
		for (const operand of operands) {
			value = this.evaluate(operand, context);
			if (isTrue(value) === (kind === "or")) return value;
		}
		return value;
	}

	#arrow({ left, right }: Extract<Expression, { kind: "arrow" }>, context: Context): YaqlValue {
		const inner = this.evaluate(left, context);
		if (!(inner instanceof Context)) throw noMatch("#operator_->");
		return this.evaluate(right, inner);
	}

	#object(entries: readonly (readonly [Expression, Expression])[], context: Context): YaqlValue {
		return Object.fromEntries(
			entries.map(([key, value]): [string, YaqlValue] => [toKey(this.evaluate(key, context)), this.evaluate(value, context)]),
		);
	}

	#property(object: YaqlValue, name: string): YaqlValue {
		if (isObject(object)) {
			if (!Object.hasOwn(object, name)) throw new MissingKeyError(name);
			return object[name] as YaqlValue;
		}
		if (isList(object)) return new Stream(this.#properties(object, name));
		const inner = typeof object === "string" ? this.#surroundings.fromJsonText(object) : undefined;
		if (inner !== undefined) return this.#property(inner, name);
		const call = { budget: this.#budget, context: new Context() };
		for (const entry of functionTable.get(`#property#${name}`) ?? []) {
			const values = bind(entry, { positional: [toArgument(object)], pairs: [] });
			if (values !== undefined) return entry.run(values, call);
		}
		if (functionTable.has(`#property#${name}`)) throw noMatch(`#property#${name}`);
		throw new YaqlError("NoFunctionRegisteredException", `Unknown function "#property#${name}"`);
	}

	*#properties(list: Iterable<YaqlValue>, name: string): Generator<YaqlValue, void> {
		for (const element of stepping(list, this.#budget)) yield this.#property(element, name);
	}

	#index(expression: Extract<Expression, { kind: "index" }>, context: Context): YaqlValue {
		let object = this.evaluate(expression.object, context);
		if (typeof object === "string") object = this.#surroundings.fromJsonText(object) ?? object;
		const { positional, pairs } = this.#given(expression.arguments, context);
		const extra = [...positional.slice(1), ...pairs.filter(({ name }) => name === "default").map(({ value }) => value)];
		if (positional.length === 0 || extra.length > 1 || positional.length + pairs.length > 2) throw noMatch("#indexer");
		const [key, fallback] = [...positional.slice(0, 1), ...extra].map((argument) => argument.value());
		if (key === undefined) throw noMatch("#indexer");
		if (isObject(object)) {
			const name = toKey(key);
			if (Object.hasOwn(object, name)) return object[name] as YaqlValue;
			if (fallback === undefined) throw new MissingKeyError(name);
			return fallback;
		}
		const index = typeof key === "boolean" ? Number(key) : isFloat(key) ? undefined : numberOf(key);
		if (!isList(object) || index === undefined || fallback !== undefined) throw noMatch("#indexer");
		const elements = toArray(object, this.#budget);
		const element = elements[Number(index) + (index < 0 ? elements.length : 0)];
		if (element === undefined) throw new YaqlError("IndexError", "list index out of range");
		return element;
	}

	#sign(operator: "+" | "-", operand: YaqlValue): YaqlValue {
		const sign = operator === "-" ? -1 : 1;
		if (operand instanceof TimeSpan) return new TimeSpan(sign * operand.microseconds);
		const number = numberOf(operand);
		if (number === undefined) throw noMatch(`#unary_operator_${operator}`);
		const signed = operator === "-" ? -number : number;
		return isFloat(operand) ? toFloat(Number(signed)) : toInteger(signed);
	}

	#call(name: string, given: ArgumentExpressions, context: Context): YaqlValue {
		const outside = this.#surroundings.function(name);
		if (outside !== undefined) return this.#callOutside(outside, name, this.#given(given, context));
		const entries = functionTable.get(name)?.filter(({ use }) => use !== "method") ?? [];
		if (entries.length === 0) throw new YaqlError("NoFunctionRegisteredException", `Unknown function "${name}"`);
		const result = this.#run(entries, this.#given(given, context), context);
		if (result === undefined) throw noMatch(name);
		return result;
	}

	#callOutside(outside: OutsideFunction, name: string, { positional, pairs }: Given): YaqlValue {
		const named = pairs.map((pair): [string, Value] => {
			if (pair.name === undefined) throw noMatch(name);
			return [pair.name, settle(pair.value.value(), this.#budget)];
		});
		return outside(
			positional.map((argument) => settle(argument.value(), this.#budget)),
			new Map(named),
		);
	}

	#method({ object, name, arguments: given, isSafe }: Extract<Expression, { kind: "method" }>, context: Context): YaqlValue {
		const receiver = this.evaluate(object, context);
		if (receiver === null && isSafe) return null;
		const entries = functionTable.get(name)?.filter(({ use }) => use !== "function") ?? [];
		if (entries.length === 0) {
			throw new YaqlError("NoMethodRegisteredException", `Unknown method "${name}" for receiver of type ${typeName(receiver)}`);
		}
		const { positional, pairs } = this.#given(given, context);
		const result = this.#run(entries, { positional: [toArgument(receiver), ...positional], pairs }, context);
		if (result !== undefined) return result;
		const inner = typeof receiver === "string" ? this.#surroundings.fromJsonText(receiver) : undefined;
		const ofInner =
			inner === undefined ? undefined : this.#run(entries, { positional: [toArgument(inner), ...positional], pairs }, context);
		if (ofInner !== undefined) return ofInner;
		const problem = `No method "${name}" for receiver of type ${typeName(receiver)} matches supplied arguments`;
		throw new YaqlError("NoMatchingMethodException", problem);
	}

	/** What the first form of a function gives that takes such arguments; undefined when none does. */
	#run(entries: readonly FunctionEntry[], given: Given, context: Context): YaqlValue | undefined {
		this.#budget.step();
		for (const entry of entries) {
			const values = bind(entry, given);
			if (values !== undefined) return entry.run(values, { budget: this.#budget, context });
		}
		return undefined;
	}

	#given({ positional, named }: ArgumentExpressions, context: Context): Given {
		return {
			positional: positional.map((expression) => this.#argument(expression, context)),
			pairs: named.map(([key, value]): Pair => {
				const name = key.kind === "word" ? key.text : key.kind === "constant" && typeof key.value === "string" ? key.value : undefined;
				return { name, key: this.#argument(key, context), value: this.#argument(value, context) };
			}),
		};
	}

	#argument(expression: Expression, context: Context): Argument {
		let known: YaqlValue | undefined;
		return {
			value: () => {
				if (known === undefined) known = this.evaluate(expression, context);
				return known;
			},
			lambda: (...elements) => this.evaluate(expression, context.withArguments(elements)),
			within: (inner) => this.evaluate(expression, inner),
		};
	}
}

function toArgument(value: YaqlValue): Argument {
	return { value: () => value, lambda: () => value, within: () => value };
}
