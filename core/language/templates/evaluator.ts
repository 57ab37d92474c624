import { Arguments } from "./arguments.ts";
import type { Budget } from "./budget.ts";
import { emptyDatastore } from "./datastore.ts";
import { TemplateError } from "./errors.ts";
import type { FilterContext } from "./filters/filter.ts";
import { filterTable } from "./filters/filter-table.ts";
import { globalFunctions } from "./globals.ts";
import { callMethod, isTextMethod } from "./methods.ts";
import { calculate, compare } from "./operators.ts";
import type { TemplateScope, Variables } from "./scope.ts";
import type { ArgumentExpressions, Expression, FilterCall } from "./syntax.ts";
import { valueTests } from "./value-tests.ts";
import {
	elementsOf,
	isFloat,
	isList,
	isTrue,
	memberOf,
	numberOf,
	requireDefined,
	toFloat,
	typeName,
	Undefined,
	type Value,
} from "./values.ts";

/** Evaluates expressions against a scope. */
export class Evaluator {
	readonly budget: Budget;
	readonly #scope: TemplateScope;
	readonly #filterContext: FilterContext;

	constructor(scope: TemplateScope, budget: Budget) {
		this.#scope = scope;
		this.budget = budget;
		this.#filterContext = {
			budget,
			memberOf: (object, key) => this.#memberOf(object, key),
			applyFilter: (name, input, args) => this.applyFilter(name, input, args),
			applyTest: (name, value, args) => this.#applyTest(name, value, args),
			decrypt: (cipherText) => (scope.datastore ?? emptyDatastore).decrypt(cipherText),
		};
	}

	/** Returns the value of an expression. Throws `UndefinedValueError` if it is undefined. */
	evaluate(expression: Expression, variables: Variables): Value {
		return requireDefined(this.evaluateOptional(expression, variables));
	}

	/**
	 * Evaluates an expression. The result may be an `Undefined`, which only the filter `default` and the tests `defined` and `undefined`
	 * accept.
	 */
	evaluateOptional(expression: Expression, variables: Variables): Value {
		this.budget.spendSteps();
		switch (expression.kind) {
			case "constant":
				return expression.value;
			case "list":
				return expression.items.map((item) => this.evaluate(item, variables));
			case "object":
				return this.#object(expression.entries, variables);
			case "path":
				return this.#path(expression.name, expression.keys, variables);
			case "member":
				return this.#member(expression, variables);
			case "slice":
				return this.#slice(expression, variables);
			case "call":
				return this.#call(expression.name, expression.arguments, variables);
			case "method":
				return this.#method(expression, variables);
			case "filter":
				return this.#filter(this.evaluateOptional(expression.input, variables), expression.filter, variables);
			case "test":
				return this.#test(expression, variables);
			case "conditional":
				return this.#conditional(expression, variables);
			case "sign":
				return this.#sign(expression.operator, this.evaluate(expression.operand, variables));
			case "not":
				return !isTrue(this.evaluate(expression.operand, variables));
			case "and":
			case "or":
				return this.#logical(expression.kind, expression.operands, variables);
			case "arithmetic":
				return this.#arithmetic(expression, variables);
			case "comparison":
				return this.#comparison(expression, variables);
		}
	}

	/** Applies a filter, or a function of the scope as a filter. Throws `TemplateError` if neither exists. */
	applyFilter(name: string, input: Value, args: Arguments): Value {
		this.budget.spendSteps();
		if (name === "default" || name === "d") {
			const isMissing = input instanceof Undefined || (args.flag(1, "boolean", false) && !isTrue(input));
			return isMissing ? (args.get(0, "default_value") ?? "") : input;
		}
		const filter = filterTable.get(name);
		if (filter !== undefined) return filter(requireDefined(input), args, this.#filterContext);
		const scopeFunction = this.#scope.findFunction?.(name);
		if (scopeFunction === undefined) throw new TemplateError(`unknown filter "${name}"`);
		return scopeFunction(new Arguments(`"${name}"`, [requireDefined(input), ...args.positional], args.named));
	}

	/** Evaluates the arguments of a call. */
	callArguments(owner: string, { positional, named }: ArgumentExpressions, variables: Variables): Arguments {
		return new Arguments(
			owner,
			positional.map((argument) => this.evaluate(argument, variables)),
			new Map(named.map(([name, argument]) => [name, this.evaluate(argument, variables)])),
		);
	}

	#arithmetic({ first, rest }: Extract<Expression, { kind: "arithmetic" }>, variables: Variables): Value {
		let left = this.evaluate(first, variables);
		for (const [operator, operand] of rest) left = calculate(operator, left, this.evaluate(operand, variables), this.budget);
		return left;
	}

	#comparison({ first, rest }: Extract<Expression, { kind: "comparison" }>, variables: Variables): boolean {
		let left = this.evaluate(first, variables);
		for (const [operator, operand] of rest) {
			const right = this.evaluate(operand, variables);
			if (!compare(operator, left, right, this.budget)) return false;
			left = right;
		}
		return true;
	}

	/** Returns the value of the deciding operand, as Jinja does. */
	#logical(kind: "and" | "or", operands: readonly Expression[], variables: Variables): Value {
		let value: Value = null;
		for (const operand of operands) {
			value = this.evaluate(operand, variables);
			if (isTrue(value) === (kind === "or")) return value;
		}
		return value;
	}

	#object(entries: readonly (readonly [Expression, Expression])[], variables: Variables): Value {
		const members = entries.map(([key, value]): [string, Value] => {
			const name = this.evaluate(key, variables);
			if (typeof name !== "string" && typeof name !== "number" && typeof name !== "bigint")
				throw new TemplateError(`the key of an object must be a string, not ${typeName(name)}`);
			return [String(name), this.evaluate(value, variables)];
		});
		return Object.fromEntries(members);
	}

	#path(name: string, keys: readonly string[], variables: Variables): Value {
		let value = variables.get(name);
		if (value === undefined) value = this.#scope.lookup(name);
		if (value === undefined) value = new Undefined(`"${name}" is undefined`);
		for (const key of keys) value = this.#memberOf(value, key, true);
		return value;
	}

	#member({ object, key }: Extract<Expression, { kind: "member" }>, variables: Variables): Value {
		return this.#memberOf(this.evaluateOptional(object, variables), this.evaluate(key, variables), key.kind === "constant");
	}

	#memberOf(object: Value, key: Value, isLiteralKey?: boolean): Value {
		const member = memberOf(object, key, this.budget, isLiteralKey);
		if (!(member instanceof Undefined) || typeof object !== "string" || typeof key !== "string") return member;
		const parsedObject = this.#scope.fromJsonText?.(object);
		return parsedObject === undefined ? member : memberOf(parsedObject, key, this.budget, isLiteralKey);
	}

	#slice({ object, bounds }: Extract<Expression, { kind: "slice" }>, variables: Variables): Value {
		const subject = this.evaluate(object, variables);
		if (typeof subject !== "string" && !isList(subject)) throw new TemplateError(`${typeName(subject)} cannot be sliced`);
		const [start, stop, step] = bounds.map((bound) => this.#bound(bound, variables));
		const part = sliceElements(elementsOf(subject, this.budget), { start, stop, step: step ?? 1 });
		return typeof subject === "string" ? part.join("") : part;
	}

	#bound(bound: Expression | undefined, variables: Variables): number | undefined {
		const value = bound === undefined ? null : this.evaluate(bound, variables);
		if (value === null) return undefined;
		const number = numberOf(value);
		if (typeof number === "bigint") return number < 0 ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
		if (number === undefined || !Number.isInteger(number)) throw new TemplateError(`a slice needs integers, not ${typeName(value)}`);
		return number;
	}

	#call(name: string, args: ArgumentExpressions, variables: Variables): Value {
		const scopeFunction = this.#scope.findFunction?.(name);
		if (scopeFunction !== undefined) return scopeFunction(this.callArguments(`"${name}"`, args, variables));
		const builtIn = globalFunctions.get(name);
		if (builtIn === undefined) throw new TemplateError(`unknown function "${name}"`);
		return builtIn(this.callArguments(`"${name}"`, args, variables), this.budget);
	}

	#method({ object, name, arguments: args }: Extract<Expression, { kind: "method" }>, variables: Variables): Value {
		const value = this.evaluate(object, variables);
		const parsedObject = typeof value === "string" && !isTextMethod(name) ? this.#scope.fromJsonText?.(value) : undefined;
		const subject = parsedObject ?? value;
		return callMethod(subject, name, this.callArguments(`method "${name}"`, args, variables), this.budget);
	}

	#filter(input: Value, { name, arguments: args }: FilterCall, variables: Variables): Value {
		return this.applyFilter(name, input, this.callArguments(`filter "${name}"`, args, variables));
	}

	#test({ input, test, isNegated }: Extract<Expression, { kind: "test" }>, variables: Variables): boolean {
		const value = this.evaluateOptional(input, variables);
		return this.#applyTest(test.name, value, this.callArguments(`test "${test.name}"`, test.arguments, variables)) !== isNegated;
	}

	#applyTest(name: string, value: Value, args: Arguments): boolean {
		this.budget.spendSteps();
		const test = valueTests.get(name);
		if (test === undefined) throw new TemplateError(`unknown test "${name}"`);
		return test(value, args, this.budget);
	}

	#conditional({ test, then, otherwise }: Extract<Expression, { kind: "conditional" }>, variables: Variables): Value {
		if (isTrue(this.evaluate(test, variables))) return this.evaluateOptional(then, variables);
		return otherwise === undefined ? new Undefined("the inline if has no else") : this.evaluateOptional(otherwise, variables);
	}

	#sign(operator: "+" | "-", operand: Value): Value {
		const number = numberOf(operand);
		if (number === undefined) throw new TemplateError(`"${operator}" cannot be applied to ${typeName(operand)}`);
		const result = operator === "-" ? -number : number;
		if (typeof result === "bigint") return result;
		// Only floats have a negative zero.
		return isFloat(operand) ? toFloat(result) : result + 0;
	}
}

function sliceElements(elements: readonly Value[], bounds: { start: number | undefined; stop: number | undefined; step: number }): Value[] {
	const { step } = bounds;
	if (step === 0) throw new TemplateError("a slice needs a step other than 0");
	const [lowest, highest] = step > 0 ? [0, elements.length] : [-1, elements.length - 1];
	const clampBound = (bound: number | undefined, fallback: number) =>
		bound === undefined ? fallback : Math.min(Math.max(bound < 0 ? bound + elements.length : bound, lowest), highest);
	const stop = clampBound(bounds.stop, step > 0 ? highest : lowest);
	const result: Value[] = [];
	for (let index = clampBound(bounds.start, step > 0 ? lowest : highest); step > 0 ? index < stop : index > stop; index += step) {
		result.push(elements[index] as Value);
	}
	return result;
}
