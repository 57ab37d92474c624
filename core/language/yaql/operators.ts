import type { Budget } from "../templates/budget.ts";
import { order as orderOfTexts, repeatValue } from "../templates/operators.ts";
import { isFloat } from "../templates/values.ts";
import { calculateNumbers, calculateWhole, compareNumbers, isSameNumber, type WholeOperator } from "../whole-numbers.ts";
import { DateTime, TimeSpan } from "./date-time.ts";
import { YaqlError } from "./errors.ts";
import { RegexValue, searchText } from "./regex-value.ts";
import type { ChainOperator } from "./syntax.ts";
import { isList, isObject, numberOf, Stream, toArray, toFloat, type YaqlList, type YaqlValue } from "./values.ts";

/** Returns the result of an operator with two operands. */
export function applyOperator(operator: ChainOperator, left: YaqlValue, right: YaqlValue, budget: Budget): YaqlValue {
	switch (operator) {
		case "=":
			return isEqual(left, right, budget);
		case "!=":
			return !isEqual(left, right, budget);
		case "<":
			return compare(operator, left, right, budget) < 0;
		case "<=":
			return compare(operator, left, right, budget) <= 0;
		case ">":
			return compare(operator, left, right, budget) > 0;
		case ">=":
			return compare(operator, left, right, budget) >= 0;
		case "in":
			return isIn(left, right, budget);
		case "=~":
			return isMatch(operator, left, right, budget);
		case "!~":
			return !isMatch(operator, left, right, budget);
		default:
			return calculate(operator, left, right, budget);
	}
}

/** Returns the error that YAQL reports for arguments of the wrong type: no function of the name accepts them. */
export function toNoMatchError(name: string): YaqlError {
	return new YaqlError("NoMatchingFunctionException", `No function "${name}" matches supplied arguments`);
}

export function isEqual(left: YaqlValue, right: YaqlValue, budget: Budget, depth = 0): boolean {
	budget.spendSteps();
	budget.checkDepth(depth);
	if (left === right) return true;
	if (typeof left === "string" || typeof right === "string") {
		if (typeof left === "string" && typeof right === "string") budget.spendText(Math.min(left.length, right.length));
		return false;
	}
	const [x, y] = [toComparableNumber(left), toComparableNumber(right)];
	if (x !== undefined || y !== undefined) return x !== undefined && y !== undefined && isSameNumber(x, y);
	if (left instanceof DateTime && right instanceof DateTime) return left.microseconds === right.microseconds;
	if (left instanceof TimeSpan && right instanceof TimeSpan) return left.microseconds === right.microseconds;
	if (isList(left) && isList(right)) {
		const [a, b] = [toArray(left, budget), toArray(right, budget)];
		return a.length === b.length && a.every((element, index) => isEqual(element, b[index] as YaqlValue, budget, depth + 1));
	}
	if (!isObject(left) || !isObject(right)) return false;
	const keys = Object.keys(left);
	return (
		keys.length === Object.keys(right).length &&
		keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key] as YaqlValue, right[key] as YaqlValue, budget, depth + 1))
	);
}

/** Returns the number of a value for comparisons. As in Python, true equals 1. */
function toComparableNumber(value: YaqlValue): number | bigint | undefined {
	return typeof value === "boolean" ? Number(value) : numberOf(value);
}

/**
 * Returns a negative number, zero or a positive number. Null is smaller than all other values; those are only comparable within their type.
 */
export function compare(operator: string, left: YaqlValue, right: YaqlValue, budget: Budget): number {
	budget.spendSteps();
	if (left === null || right === null) return Number(left !== null) - Number(right !== null);
	if (typeof left === "string" && typeof right === "string") return orderOfTexts(left, right, budget);
	const [x, y] = [numberOf(left), numberOf(right)];
	if (x !== undefined && y !== undefined) return compareNumbers(x, y);
	if (left instanceof DateTime && right instanceof DateTime) return left.microseconds - right.microseconds;
	if (left instanceof TimeSpan && right instanceof TimeSpan) return left.microseconds - right.microseconds;
	throw toNoMatchError(`#operator_${operator}`);
}

export function isIn(value: YaqlValue, container: YaqlValue, budget: Budget): boolean {
	if (typeof container === "string" && typeof value === "string") {
		budget.spendText(container.length);
		return container.includes(value);
	}
	if (!isList(container)) throw toNoMatchError("#operator_in");
	for (const element of container) if (isEqual(element, value, budget)) return true;
	return false;
}

function isMatch(operator: string, text: YaqlValue, pattern: YaqlValue, budget: Budget): boolean {
	if (typeof text !== "string" || !(pattern instanceof RegexValue || typeof pattern === "string"))
		throw toNoMatchError(`#operator_${operator}`);
	return searchText(pattern, text, budget).length > 0;
}

type ArithmeticOperator = "+" | "-" | "*" | "/" | "mod";

function calculate(operator: ArithmeticOperator, left: YaqlValue, right: YaqlValue, budget: Budget): YaqlValue {
	const [x, y] = [numberOf(left), numberOf(right)];
	if (x !== undefined && y !== undefined) {
		return isFloat(left) || isFloat(right) ? calculateFloats(operator, Number(x), Number(y)) : calculateIntegers(operator, x, y);
	}
	const timeResult = calculateWithTime(operator, left, right);
	if (timeResult !== undefined) return timeResult;
	if (operator === "+") return add(left, right, budget);
	if (operator === "*" && y !== undefined && !isFloat(right)) return repeat(left, Number(y), budget);
	if (operator === "*" && x !== undefined && !isFloat(left)) return repeat(right, Number(x), budget);
	throw toNoMatchError(`#operator_${operator}`);
}

function calculateIntegers(operator: ArithmeticOperator, x: number | bigint, y: number | bigint): YaqlValue {
	if (Number(y) === 0 && (operator === "/" || operator === "mod")) {
		throw new YaqlError("ZeroDivisionError", "integer division or modulo by zero");
	}
	const result = calculateWhole(operator === "/" ? "//" : toWholeOperator(operator), x, y);
	if (result === undefined) throw new YaqlError("OverflowError", "the result has too many digits");
	return result;
}

function calculateFloats(operator: ArithmeticOperator, x: number, y: number): YaqlValue {
	if (y === 0 && (operator === "/" || operator === "mod")) throw new YaqlError("ZeroDivisionError", "float division by zero");
	return toFloat(operator === "/" ? x / y : calculateNumbers(toWholeOperator(operator), x, y));
}

function toWholeOperator(operator: Exclude<ArithmeticOperator, "/">): WholeOperator {
	return operator === "mod" ? "%" : operator;
}

function calculateWithTime(operator: ArithmeticOperator, left: YaqlValue, right: YaqlValue): YaqlValue | undefined {
	const sign = operator === "-" ? -1 : 1;
	if (operator === "+" || operator === "-") {
		if (left instanceof DateTime && right instanceof TimeSpan)
			return new DateTime(left.microseconds + sign * right.microseconds, left.offset);
		if (left instanceof TimeSpan && right instanceof DateTime && sign === 1)
			return new DateTime(left.microseconds + right.microseconds, right.offset);
		if (left instanceof DateTime && right instanceof DateTime && sign === -1) return new TimeSpan(left.microseconds - right.microseconds);
		if (left instanceof TimeSpan && right instanceof TimeSpan) return new TimeSpan(left.microseconds + sign * right.microseconds);
		return undefined;
	}
	const [x, y] = [numberOf(left), numberOf(right)];
	if (operator === "*" && left instanceof TimeSpan && y !== undefined) return new TimeSpan(left.microseconds * Number(y));
	if (operator === "*" && right instanceof TimeSpan && x !== undefined) return new TimeSpan(right.microseconds * Number(x));
	if (operator !== "/" || !(left instanceof TimeSpan)) return undefined;
	const divisor = right instanceof TimeSpan ? right.microseconds : y === undefined ? undefined : Number(y);
	if (divisor === 0) throw new YaqlError("ZeroDivisionError", "division by zero");
	if (right instanceof TimeSpan) return toFloat(left.microseconds / right.microseconds);
	return divisor === undefined ? undefined : new TimeSpan(left.microseconds / divisor);
}

/** Joins two strings, two lists or two objects. */
function add(left: YaqlValue, right: YaqlValue, budget: Budget): YaqlValue {
	if (typeof left === "string" && typeof right === "string") {
		budget.spendText(left.length + right.length);
		return left + right;
	}
	if (isList(left) && isList(right)) return addLists(left, right, budget);
	if (!isObject(left) || !isObject(right)) throw toNoMatchError("#operator_+");
	budget.spendSteps(Object.keys(left).length + Object.keys(right).length);
	return Object.fromEntries([...Object.entries(left), ...Object.entries(right)]);
}

function addLists(left: YaqlList, right: YaqlList, budget: Budget): YaqlValue {
	if (left instanceof Stream || right instanceof Stream) {
		return new Stream(
			(function* () {
				yield* left;
				yield* right;
			})(),
		);
	}
	const [a, b] = [toArray(left, budget), toArray(right, budget)];
	budget.spendSteps(a.length + b.length);
	return [...a, ...b];
}

function repeat(value: YaqlValue, times: number, budget: Budget): YaqlValue {
	if (typeof value !== "string" && !isList(value)) throw toNoMatchError("#operator_*");
	return repeatValue(typeof value === "string" ? value : toArray(value, budget), times, budget);
}
