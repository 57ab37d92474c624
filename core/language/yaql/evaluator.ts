import type { JsonValue } from "../../contract/index.ts";
import type { Budget } from "../templates/budget.ts";
import { isFloat, type Value } from "../templates/values.ts";
import { Context } from "./context.ts";
import { toTemplateValue } from "./conversions.ts";
import { TimeSpan } from "./date-time.ts";
import { MissingKeyError, YaqlError } from "./errors.ts";
import { bindArguments, type CallArguments } from "./functions/bind.ts";
import type { FunctionEntry } from "./functions/define-function.ts";
import { functionTable } from "./functions/function-table.ts";
import type { Argument, ArgumentPair } from "./functions/parameters.ts";
import { applyOperator, toNoMatchError } from "./operators.ts";
import type { ArgumentExpressions, Expression } from "./syntax.ts";
import {
	isList,
	isObject,
	isTrue,
	numberOf,
	Stream,
	toArray,
	toFloat,
	toInteger,
	toKey,
	typeName,
	withStepCost,
	type YaqlValue,
} from "./values.ts";

/** Function that is not part of YAQL, such as `ctx`. */
export type HostFunction = (positional: readonly Value[], named: ReadonlyMap<string, Value>) => YaqlValue;

/** Functions and parser that the embedding code provides. */
export interface EvaluatorHost {
	/** Returns a function; undefined if it does not exist. */
	findFunction(name: string): HostFunction | undefined;
	/** Returns the object or list that a JSON string contains; undefined for any other string. */
	fromJsonText(text: string): JsonValue | undefined;
}

export class Evaluator {
	readonly #host: EvaluatorHost;
	readonly #budget: Budget;

	constructor(host: EvaluatorHost, budget: Budget) {
		this.#host = host;
		this.#budget = budget;
	}

	evaluate(expression: Expression, context: Context): YaqlValue {
		this.#budget.spendSteps();
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
		for (const [operator, operand] of rest) left = applyOperator(operator, left, this.evaluate(operand, context), this.#budget);
		return left;
	}

	/** Returns the value of the deciding operand, as YAQL in Python does. */
	#logical(kind: "and" | "or", operands: readonly Expression[], context: Context): YaqlValue {
		let value: YaqlValue = null;
		for (const operand of operands) {
			value = this.evaluate(operand, context);
			if (isTrue(value) === (kind === "or")) return value;
		}
		return value;
	}

	#arrow({ left, right }: Extract<Expression, { kind: "arrow" }>, context: Context): YaqlValue {
		const leftContext = this.evaluate(left, context);
		if (!(leftContext instanceof Context)) throw toNoMatchError("#operator_->");
		return this.evaluate(right, leftContext);
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
		const parsedObject = typeof object === "string" ? this.#host.fromJsonText(object) : undefined;
		if (parsedObject !== undefined) return this.#property(parsedObject, name);
		const call = { budget: this.#budget, context: new Context() };
		for (const entry of functionTable.get(`#property#${name}`) ?? []) {
			const values = bindArguments(entry, { positional: [toArgument(object)], pairs: [] });
			if (values !== undefined) return entry.run(values, call);
		}
		if (functionTable.has(`#property#${name}`)) throw toNoMatchError(`#property#${name}`);
		throw new YaqlError("NoFunctionRegisteredException", `Unknown function "#property#${name}"`);
	}

	*#properties(list: Iterable<YaqlValue>, name: string): Generator<YaqlValue, void> {
		for (const element of withStepCost(list, this.#budget)) yield this.#property(element, name);
	}

	#index(expression: Extract<Expression, { kind: "index" }>, context: Context): YaqlValue {
		let object = this.evaluate(expression.object, context);
		if (typeof object === "string") object = this.#host.fromJsonText(object) ?? object;
		const { positional, pairs } = this.#toCallArguments(expression.arguments, context);
		const defaultArguments = [...positional.slice(1), ...pairs.filter(({ name }) => name === "default").map(({ value }) => value)];
		if (positional.length === 0 || defaultArguments.length > 1 || positional.length + pairs.length > 2) throw toNoMatchError("#indexer");
		const [key, fallback] = [...positional.slice(0, 1), ...defaultArguments].map((argument) => argument.value());
		if (key === undefined) throw toNoMatchError("#indexer");
		if (isObject(object)) {
			const name = toKey(key);
			if (Object.hasOwn(object, name)) return object[name] as YaqlValue;
			if (fallback === undefined) throw new MissingKeyError(name);
			return fallback;
		}
		const index = typeof key === "boolean" ? Number(key) : isFloat(key) ? undefined : numberOf(key);
		if (!isList(object) || index === undefined || fallback !== undefined) throw toNoMatchError("#indexer");
		const elements = toArray(object, this.#budget);
		const element = elements[Number(index) + (index < 0 ? elements.length : 0)];
		if (element === undefined) throw new YaqlError("IndexError", "list index out of range");
		return element;
	}

	#sign(operator: "+" | "-", operand: YaqlValue): YaqlValue {
		const sign = operator === "-" ? -1 : 1;
		if (operand instanceof TimeSpan) return new TimeSpan(sign * operand.microseconds);
		const number = numberOf(operand);
		if (number === undefined) throw toNoMatchError(`#unary_operator_${operator}`);
		const result = operator === "-" ? -number : number;
		return isFloat(operand) ? toFloat(Number(result)) : toInteger(result);
	}

	#call(name: string, args: ArgumentExpressions, context: Context): YaqlValue {
		const hostFunction = this.#host.findFunction(name);
		if (hostFunction !== undefined) return this.#callHostFunction(hostFunction, name, this.#toCallArguments(args, context));
		const entries = functionTable.get(name)?.filter(({ callForm }) => callForm !== "method") ?? [];
		if (entries.length === 0) throw new YaqlError("NoFunctionRegisteredException", `Unknown function "${name}"`);
		const result = this.#runMatchingEntry(entries, this.#toCallArguments(args, context), context);
		if (result === undefined) throw toNoMatchError(name);
		return result;
	}

	#callHostFunction(hostFunction: HostFunction, name: string, { positional, pairs }: CallArguments): YaqlValue {
		const named = pairs.map((pair): [string, Value] => {
			if (pair.name === undefined) throw toNoMatchError(name);
			return [pair.name, toTemplateValue(pair.value.value(), this.#budget)];
		});
		return hostFunction(
			positional.map((argument) => toTemplateValue(argument.value(), this.#budget)),
			new Map(named),
		);
	}

	#method({ object, name, arguments: args, isSafe }: Extract<Expression, { kind: "method" }>, context: Context): YaqlValue {
		const receiver = this.evaluate(object, context);
		if (receiver === null && isSafe) return null;
		const entries = functionTable.get(name)?.filter(({ callForm }) => callForm !== "function") ?? [];
		if (entries.length === 0) {
			throw new YaqlError("NoMethodRegisteredException", `Unknown method "${name}" for receiver of type ${typeName(receiver)}`);
		}
		const { positional, pairs } = this.#toCallArguments(args, context);
		const run = (subject: YaqlValue) =>
			this.#runMatchingEntry(entries, { positional: [toArgument(subject), ...positional], pairs }, context);
		const result = run(receiver);
		if (result !== undefined) return result;
		const parsedObject = typeof receiver === "string" ? this.#host.fromJsonText(receiver) : undefined;
		const resultOfParsed = parsedObject === undefined ? undefined : run(parsedObject);
		if (resultOfParsed !== undefined) return resultOfParsed;
		const problem = `No method "${name}" for receiver of type ${typeName(receiver)} matches supplied arguments`;
		throw new YaqlError("NoMatchingMethodException", problem);
	}

	/** Runs the first overload of a function that accepts the arguments. Returns undefined if there is none. */
	#runMatchingEntry(entries: readonly FunctionEntry[], args: CallArguments, context: Context): YaqlValue | undefined {
		this.#budget.spendSteps();
		for (const entry of entries) {
			const values = bindArguments(entry, args);
			if (values !== undefined) return entry.run(values, { budget: this.#budget, context });
		}
		return undefined;
	}

	#toCallArguments({ positional, named }: ArgumentExpressions, context: Context): CallArguments {
		return {
			positional: positional.map((expression) => this.#argument(expression, context)),
			pairs: named.map(([key, value]): ArgumentPair => {
				const name = key.kind === "word" ? key.text : key.kind === "constant" && typeof key.value === "string" ? key.value : undefined;
				return { name, key: this.#argument(key, context), value: this.#argument(value, context) };
			}),
		};
	}

	#argument(expression: Expression, context: Context): Argument {
		let cachedValue: YaqlValue | undefined;
		return {
			value: () => {
				if (cachedValue === undefined) cachedValue = this.evaluate(expression, context);
				return cachedValue;
			},
			lambda: (...elements) => this.evaluate(expression, context.withArguments(elements)),
			evaluateIn: (otherContext) => this.evaluate(expression, otherContext),
		};
	}
}

function toArgument(value: YaqlValue): Argument {
	return { value: () => value, lambda: () => value, evaluateIn: () => value };
}
