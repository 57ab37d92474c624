import { calculateNumbers, calculateWhole, compareNumbers, isSameNumber, type WholeOperator } from "../whole-numbers.ts";
import type { Budget } from "./budget.ts";
import { TemplateError } from "./errors.ts";
import { formatPercent } from "./format.ts";
import { toPythonText } from "./python-text.ts";
import { isFloat, isList, isObject, numberOf, requireDefined, toFloat, typeName, type Value } from "./values.ts";

export type ArithmeticOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**" | "~";
export type ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

/**
 * Returns the result of an arithmetic operator, or of `~`, by the rules of Python. Throws `TemplateError` if it does not apply to the
 * values.
 */
export function calculate(operator: ArithmeticOperator, left: Value, right: Value, budget: Budget): Value {
	if (operator === "~") return join(toPythonText(left, budget), toPythonText(right, budget), budget);
	const a = requireDefined(left);
	const b = requireDefined(right);
	const x = numberOf(a);
	const y = numberOf(b);
	if (x !== undefined && y !== undefined) {
		return isFloat(a) || isFloat(b) ? calculateFloats(operator, Number(x), Number(y)) : calculateIntegers(operator, x, y);
	}
	if (operator === "+" && typeof a === "string" && typeof b === "string") return join(a, b, budget);
	if (operator === "+" && isList(a) && isList(b)) {
		budget.spendSteps(a.length + b.length);
		return [...a, ...b];
	}
	if (operator === "*" && y !== undefined && !isFloat(b)) return repeat(a, Number(y), budget);
	if (operator === "*" && x !== undefined && !isFloat(a)) return repeat(b, Number(x), budget);
	if (operator === "%" && typeof a === "string") return formatPercent(a, isList(b) ? b : [b], budget);
	throw new TemplateError(`"${operator}" cannot be applied to ${typeName(a)} and ${typeName(b)}`);
}

function join(left: string, right: string, budget: Budget): string {
	budget.spendText(left.length + right.length);
	return left + right;
}

function repeat(value: Value, times: number, budget: Budget): Value {
	if (typeof value !== "string" && !isList(value)) throw new TemplateError(`"*" cannot repeat ${typeName(value)}`);
	return repeatValue(value, times, budget);
}

/** Repeats a string, or the elements of a list. Accounts for the result before creating it. */
export function repeatValue<T>(value: string | readonly T[], times: number, budget: Budget): string | readonly T[] {
	const count = Math.max(0, times);
	if (typeof value === "string") {
		budget.spendText(value.length * count);
		return value.repeat(count);
	}
	budget.spendSteps(value.length * count);
	// An empty list costs no steps, no matter how often it is repeated.
	return value.length === 0 ? [] : (Array.from({ length: count }, () => value).flat() as T[]);
}

function calculateIntegers(operator: ArithmeticOperator, x: number | bigint, y: number | bigint): Value {
	if (operator === "/" || (operator === "**" && y < 0)) return calculateFloats(operator, Number(x), Number(y));
	assertDivisor(operator, y);
	const result = calculateWhole(operator as WholeOperator, x, y);
	if (result === undefined) throw new TemplateError("the result has too many digits");
	return result;
}

function calculateFloats(operator: ArithmeticOperator, x: number, y: number): Value {
	assertDivisor(operator, y);
	return toFloat(operator === "/" ? x / y : calculateNumbers(operator as WholeOperator, x, y));
}

function assertDivisor(operator: ArithmeticOperator, divisor: number | bigint): void {
	if (Number(divisor) === 0 && (operator === "/" || operator === "//" || operator === "%")) throw new TemplateError("division by zero");
}

/** Returns the result of a comparison. Only two numbers, two strings or two lists have an order. */
export function compare(operator: ComparisonOperator, left: Value, right: Value, budget: Budget): boolean {
	switch (operator) {
		case "==":
			return isEqual(left, right, budget);
		case "!=":
			return !isEqual(left, right, budget);
		case "in":
			return contains(right, left, budget);
		case "not in":
			return !contains(right, left, budget);
		case "<":
			return order(left, right, budget) < 0;
		case "<=":
			return order(left, right, budget) <= 0;
		case ">":
			return order(left, right, budget) > 0;
		case ">=":
			return order(left, right, budget) >= 0;
	}
}

export function isEqual(left: Value, right: Value, budget: Budget, depth = 0): boolean {
	const a = requireDefined(left);
	const b = requireDefined(right);
	budget.spendSteps();
	budget.checkDepth(depth);
	if (typeof a === "string" && typeof b === "string" && a.length === b.length) budget.spendText(a.length);
	if (a === b) return true;
	const x = numberOf(a);
	if (x !== undefined) {
		const y = numberOf(b);
		return y !== undefined && isSameNumber(x, y);
	}
	if (isList(a))
		return isList(b) && a.length === b.length && a.every((element, index) => isEqual(element, b[index] as Value, budget, depth + 1));
	if (!isObject(a) || !isObject(b)) return false;
	const keys = Object.keys(a);
	return (
		keys.length === Object.keys(b).length &&
		keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] as Value, b[key] as Value, budget, depth + 1))
	);
}

/** Returns true if `container` contains `value` as an element, a key, or a substring. */
export function contains(container: Value, value: Value, budget: Budget): boolean {
	const containerValue = requireDefined(container);
	const searchedValue = requireDefined(value);
	if (isList(containerValue)) return containerValue.some((element) => isEqual(element, searchedValue, budget));
	if (typeof containerValue === "string" && typeof searchedValue === "string") {
		budget.spendText(containerValue.length);
		return containerValue.includes(searchedValue);
	}
	if (isObject(containerValue)) return typeof searchedValue === "string" && Object.hasOwn(containerValue, searchedValue);
	throw new TemplateError(`"in" cannot search for ${typeName(searchedValue)} in ${typeName(containerValue)}`);
}

/** Returns a negative number, zero or a positive number. Strings are compared by code points. */
export function order(left: Value, right: Value, budget: Budget, depth = 0): number {
	const a = requireDefined(left);
	const b = requireDefined(right);
	budget.spendSteps();
	budget.checkDepth(depth);
	const x = numberOf(a);
	const y = numberOf(b);
	if (x !== undefined && y !== undefined) return compareNumbers(x, y);
	if (typeof a === "string" && typeof b === "string") return compareText(a, b, budget);
	if (!isList(a) || !isList(b)) throw new TemplateError(`${typeName(a)} and ${typeName(b)} cannot be compared`);
	for (let index = 0; index < Math.min(a.length, b.length); index++) {
		if (!isEqual(a[index] as Value, b[index] as Value, budget, depth + 1))
			return order(a[index] as Value, b[index] as Value, budget, depth + 1);
	}
	return a.length - b.length;
}

function compareText(a: string, b: string, budget: Budget): number {
	const length = Math.min(a.length, b.length);
	budget.spendText(length);
	let index = 0;
	while (index < length && a.charCodeAt(index) === b.charCodeAt(index)) index++;
	return index === length ? a.length - b.length : codePointOrder(a, index) - codePointOrder(b, index);
}

/** Returns a rank that orders code units like code points: surrogates, which encode the highest code points, are last. */
function codePointOrder(text: string, index: number): number {
	const unit = text.charCodeAt(index);
	return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
