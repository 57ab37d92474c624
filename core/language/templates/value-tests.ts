import type { Arguments } from "./arguments.ts";
import type { Budget } from "./budget.ts";
import { hasFilter } from "./filters/filter-table.ts";
import { type ComparisonOperator, compare } from "./operators.ts";
import { demand, isFloat, isList, isObject, numberOf, Undefined, type Value } from "./values.ts";

/** A test behind `is`. Gets the value as it is, undefined included. */
export type ValueTest = (value: Value, given: Arguments, budget: Budget) => boolean;

const isNumber = (value: Value) => typeof value !== "boolean" && numberOf(value) !== undefined;
const numberNeeded = (value: Value, given: Arguments): number | bigint => {
	const number = numberOf(demand(value));
	if (number === undefined) throw given.error("needs a number");
	return number;
};

const isWhole = (number: number | bigint) => typeof number === "bigint" || Number.isInteger(number);

const restOf = (number: number | bigint, divisor: number | bigint): number => {
	const isExact = typeof number === "bigint" || typeof divisor === "bigint";
	if (!isExact || Number(divisor) === 0 || !isWhole(number) || !isWhole(divisor)) return Number(number) % Number(divisor);
	return Number(BigInt(number) % BigInt(divisor));
};

const comparison =
	(operator: ComparisonOperator): ValueTest =>
	(value, given, budget) =>
		compare(operator, value, given.required(0, "other"), budget);

const strict =
	(test: (value: Value) => boolean): ValueTest =>
	(value) =>
		test(demand(value));

/** Tests by name. More are added as entries. */
export const valueTests: ReadonlyMap<string, ValueTest> = new Map<string, ValueTest>([
	["defined", (value) => !(value instanceof Undefined)],
	["undefined", (value) => value instanceof Undefined],
	["none", strict((value) => value === null)],
	["boolean", strict((value) => typeof value === "boolean")],
	["true", strict((value) => value === true)],
	["false", strict((value) => value === false)],
	["string", strict((value) => typeof value === "string")],
	["number", strict((value) => numberOf(value) !== undefined)],
	["integer", strict((value) => isNumber(value) && !isFloat(value))],
	["float", strict((value) => isFloat(value))],
	["sequence", strict((value) => isList(value) || typeof value === "string" || isObject(value))],
	["iterable", strict((value) => isList(value) || typeof value === "string" || isObject(value))],
	["mapping", strict((value) => isObject(value))],
	["upper", strict((value) => typeof value === "string" && value !== value.toLowerCase() && value === value.toUpperCase())],
	["lower", strict((value) => typeof value === "string" && value !== value.toUpperCase() && value === value.toLowerCase())],
	["even", (value, given) => restOf(numberNeeded(value, given), 2) === 0],
	["odd", (value, given) => Math.abs(restOf(numberNeeded(value, given), 2)) === 1],
	["divisibleby", (value, given) => restOf(numberNeeded(value, given), numberNeeded(given.required(0, "num"), given)) === 0],
	// Nothing in a template can be called, and nothing is marked as safe.
	["callable", strict(() => false)],
	["escaped", strict(() => false)],
	["filter", strict((value) => typeof value === "string" && hasFilter(value))],
	["test", strict((value) => typeof value === "string" && valueTests.has(value))],
	["in", comparison("in")],
	["eq", comparison("==")],
	["equalto", comparison("==")],
	["==", comparison("==")],
	["ne", comparison("!=")],
	["!=", comparison("!=")],
	["sameas", (value, given) => demand(value) === given.required(0, "other")],
	["lt", comparison("<")],
	["lessthan", comparison("<")],
	["<", comparison("<")],
	["le", comparison("<=")],
	["<=", comparison("<=")],
	["gt", comparison(">")],
	["greaterthan", comparison(">")],
	[">", comparison(">")],
	["ge", comparison(">=")],
	[">=", comparison(">=")],
]);
