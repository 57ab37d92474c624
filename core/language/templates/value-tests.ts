import { isWholeNumber } from "../whole-numbers.ts";
import type { Arguments } from "./arguments.ts";
import type { Budget } from "./budget.ts";
import { hasFilter } from "./filters/filter-table.ts";
import { type ComparisonOperator, compare } from "./operators.ts";
import { isFloat, isList, isObject, numberOf, requireDefined, Undefined, type Value } from "./values.ts";

/** Test that follows `is`. Its value may be an `Undefined`. */
export type ValueTest = (value: Value, args: Arguments, budget: Budget) => boolean;

const isNumeric = (value: Value) => typeof value !== "boolean" && numberOf(value) !== undefined;
const requireNumber = (value: Value, args: Arguments): number | bigint => {
	const number = numberOf(requireDefined(value));
	if (number === undefined) throw args.error("needs a number");
	return number;
};

const remainderOf = (number: number | bigint, divisor: number | bigint): number => {
	const isExact = typeof number === "bigint" || typeof divisor === "bigint";
	if (!isExact || Number(divisor) === 0 || !isWholeNumber(number) || !isWholeNumber(divisor)) return Number(number) % Number(divisor);
	return Number(BigInt(number) % BigInt(divisor));
};

const comparisonTest =
	(operator: ComparisonOperator): ValueTest =>
	(value, args, budget) =>
		compare(operator, value, args.required(0, "other"), budget);

const onDefinedValue =
	(test: (value: Value) => boolean): ValueTest =>
	(value) =>
		test(requireDefined(value));

export const valueTests: ReadonlyMap<string, ValueTest> = new Map<string, ValueTest>([
	["defined", (value) => !(value instanceof Undefined)],
	["undefined", (value) => value instanceof Undefined],
	["none", onDefinedValue((value) => value === null)],
	["boolean", onDefinedValue((value) => typeof value === "boolean")],
	["true", onDefinedValue((value) => value === true)],
	["false", onDefinedValue((value) => value === false)],
	["string", onDefinedValue((value) => typeof value === "string")],
	["number", onDefinedValue((value) => numberOf(value) !== undefined)],
	["integer", onDefinedValue((value) => isNumeric(value) && !isFloat(value))],
	["float", onDefinedValue((value) => isFloat(value))],
	["sequence", onDefinedValue((value) => isList(value) || typeof value === "string" || isObject(value))],
	["iterable", onDefinedValue((value) => isList(value) || typeof value === "string" || isObject(value))],
	["mapping", onDefinedValue((value) => isObject(value))],
	["upper", onDefinedValue((value) => typeof value === "string" && value !== value.toLowerCase() && value === value.toUpperCase())],
	["lower", onDefinedValue((value) => typeof value === "string" && value !== value.toUpperCase() && value === value.toLowerCase())],
	["even", (value, args) => remainderOf(requireNumber(value, args), 2) === 0],
	["odd", (value, args) => Math.abs(remainderOf(requireNumber(value, args), 2)) === 1],
	["divisibleby", (value, args) => remainderOf(requireNumber(value, args), requireNumber(args.required(0, "num"), args)) === 0],
	// Nothing in a template can be called, and no string is marked as safe.
	["callable", onDefinedValue(() => false)],
	["escaped", onDefinedValue(() => false)],
	["filter", onDefinedValue((value) => typeof value === "string" && hasFilter(value))],
	["test", onDefinedValue((value) => typeof value === "string" && valueTests.has(value))],
	["in", comparisonTest("in")],
	["eq", comparisonTest("==")],
	["equalto", comparisonTest("==")],
	["==", comparisonTest("==")],
	["ne", comparisonTest("!=")],
	["!=", comparisonTest("!=")],
	["sameas", (value, args) => requireDefined(value) === args.required(0, "other")],
	["lt", comparisonTest("<")],
	["lessthan", comparisonTest("<")],
	["<", comparisonTest("<")],
	["le", comparisonTest("<=")],
	["<=", comparisonTest("<=")],
	["gt", comparisonTest(">")],
	["greaterthan", comparisonTest(">")],
	[">", comparisonTest(">")],
	["ge", comparisonTest(">=")],
	[">=", comparisonTest(">=")],
]);
