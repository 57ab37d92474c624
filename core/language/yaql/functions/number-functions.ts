import { parseInteger } from "../../../contract/index.ts";
import { isFloat } from "../../templates/values.ts";
import { calculateWhole, roundHalfEven } from "../../whole-numbers.ts";
import { YaqlError } from "../errors.ts";
import { compare } from "../operators.ts";
import { numberOf, toFloat, toInteger, typeName, type YaqlValue } from "../values.ts";
import { defineFunction } from "./define-function.ts";
import { any, integer, nullable, numeric, optional, wholeNumber } from "./parameters.ts";

export const numberFunctions = [
	defineFunction("int", [any("value")], (_call, value) => toWhole(value)),
	defineFunction("float", [any("value")], (_call, value) => toFloat(toNumber(value))),
	defineFunction("isInteger", [any("value")], (_call, value) => numberOf(value) !== undefined && !isFloat(value)),
	defineFunction("isNumber", [any("value")], (_call, value) => numberOf(value) !== undefined),
	defineFunction("abs", [numeric("op")], (_call, number) => absolute(number)),
	defineFunction("sign", [numeric("num")], (_call, number) => Math.sign(plainNumber(number)) + 0),
	defineFunction("max", [any("a"), any("b")], ({ budget }, a, b) => (compare(">", b, a, budget) > 0 ? b : a)),
	defineFunction("min", [any("a"), any("b")], ({ budget }, a, b) => (compare(">", b, a, budget) > 0 ? a : b)),
	defineFunction("round", [numeric("number"), optional(integer("ndigits"), 0)], (_call, number, digits) => round(number, digits)),
	defineFunction("pow", [numeric("a"), numeric("b"), optional(nullable(integer("c")))], (_call, a, b, modulus) =>
		power(a, b, modulus ?? null),
	),
	defineFunction("random", [], () => Math.random()),
	defineFunction("random", [integer("from"), integer("to")], (_call, from, to) => {
		if (from > to) throw new YaqlError("ValueError", "the range is empty");
		return toInteger(from + Math.floor(Math.random() * (to - from + 1)));
	}),
	defineFunction("bitwiseAnd", [wholeNumber("left"), wholeNumber("right")], (_call, left, right) => fromBits(BigInt(left) & BigInt(right))),
	defineFunction("bitwiseOr", [wholeNumber("left"), wholeNumber("right")], (_call, left, right) => fromBits(BigInt(left) | BigInt(right))),
	defineFunction("bitwiseXor", [wholeNumber("left"), wholeNumber("right")], (_call, left, right) => fromBits(BigInt(left) ^ BigInt(right))),
	defineFunction("bitwiseNot", [wholeNumber("arg")], (_call, value) => fromBits(~BigInt(value))),
	defineFunction("shiftBitsLeft", [wholeNumber("value"), integer("bitsNumber")], (_call, value, bits) =>
		value === 0 ? 0 : fromBits(BigInt(value) << shift(bits)),
	),
	defineFunction("shiftBitsRight", [wholeNumber("value"), integer("bitsNumber")], (_call, value, bits) =>
		fromBits(BigInt(value) >> shift(bits)),
	),
];

/** Binary digits of the largest whole number with 1,000 decimal digits, including a minus sign. */
const maxBits = 3_323;

function plainNumber(number: YaqlValue): number {
	return Number(numberOf(number) ?? 0);
}

function absolute(number: YaqlValue): YaqlValue {
	const absoluteValue = numberOf(number) ?? 0;
	return toSameType(number, absoluteValue < 0 ? -absoluteValue : absoluteValue);
}

/** Returns a number as a float if `pattern` is a float, otherwise as an integer. */
function toSameType(pattern: YaqlValue, number: number | bigint): YaqlValue {
	return isFloat(pattern) ? toFloat(Number(number)) : toInteger(number);
}

const integerPattern = /^[+-]?\d+(?:_\d+)*$/;
const floatPattern = /^[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function toWhole(value: YaqlValue): number | bigint {
	if (typeof value === "bigint") return value;
	if (typeof value !== "string") return toInteger(Math.trunc(toNumber(value)));
	const trimmed = value.trim();
	if (!integerPattern.test(trimmed)) throw new YaqlError("ValueError", "the text is not an integer");
	return parseInteger(trimmed.replaceAll("_", ""));
}

function toNumber(value: YaqlValue): number {
	if (value === null) return 0;
	if (typeof value === "boolean") return Number(value);
	const number = numberOf(value);
	if (number !== undefined) return Number(number);
	if (typeof value !== "string") throw new YaqlError("TypeError", `a string or a number is required, not ${typeName(value)}`);
	const trimmed = value.trim();
	if (!floatPattern.test(trimmed)) throw new YaqlError("ValueError", "the text is not a number");
	return Number(trimmed.replaceAll("_", ""));
}

/**
 * Rounds to the nearest number. If `digits` is at most 0, exactly half rounds to the even neighbour. A float stays a float, and an integer
 * an integer.
 */
function round(number: YaqlValue, digits: number): YaqlValue {
	if (typeof number === "bigint") return roundWhole(number, digits);
	const value = plainNumber(number);
	if (!isFloat(number) && digits >= 0) return toInteger(value);
	if (digits > 300 || digits < -300) return digits > 0 ? number : toSameType(number, 0);
	if (digits <= 0) {
		const unit = 10 ** -digits;
		return toSameType(number, roundHalfEven(value / unit) * unit);
	}
	// The decimal string is exact; multiplying would add an error.
	return toFloat(digits > 15 ? value : Number(value.toFixed(digits)));
}

function roundWhole(number: bigint, digits: number): YaqlValue {
	if (digits >= 0) return number;
	if (digits < -1_000) return 0;
	const unit = 10n ** BigInt(-digits);
	const remainder = ((number % unit) + unit) % unit;
	const lower = number - remainder;
	const shouldRoundUp = 2n * remainder > unit || (2n * remainder === unit && (lower / unit) % 2n !== 0n);
	return toInteger(shouldRoundUp ? lower + unit : lower);
}

function power(a: YaqlValue, b: YaqlValue, modulus: number | null): YaqlValue {
	if (modulus === null && !isFloat(a) && !isFloat(b) && plainNumber(b) >= 0) {
		const result = calculateWhole("**", numberOf(a) ?? 0, numberOf(b) ?? 0);
		if (result === undefined) throw new YaqlError("OverflowError", "the result has too many digits");
		return result;
	}
	const [base, exponent] = [plainNumber(a), plainNumber(b)];
	if (modulus === null) {
		if (base === 0 && exponent < 0) throw new YaqlError("ZeroDivisionError", "0 cannot be raised to a negative power");
		const result = base ** exponent;
		if (Number.isNaN(result)) throw new YaqlError("ValueError", "the result is not a real number");
		return toFloat(result);
	}
	if (isFloat(a) || isFloat(b)) throw new YaqlError("TypeError", "a power with a modulus needs integers");
	if (exponent < 0 || modulus === 0)
		throw new YaqlError("ValueError", "a power with a modulus needs a non-negative exponent and a nonzero modulus");
	return powerOfModulus(BigInt(numberOf(a) ?? 0), BigInt(numberOf(b) ?? 0), BigInt(modulus));
}

function powerOfModulus(base: bigint, exponent: bigint, modulus: bigint): YaqlValue {
	let result = 1n % modulus;
	let factor = base % modulus;
	for (let remainingExponent = exponent; remainingExponent > 0n; remainingExponent >>= 1n) {
		if (remainingExponent & 1n) result = (result * factor) % modulus;
		factor = (factor * factor) % modulus;
	}
	return toInteger(result !== 0n && result < 0n !== modulus < 0n ? result + modulus : result);
}

function shift(bits: number): bigint {
	if (bits < 0) throw new YaqlError("ValueError", "negative shift count");
	return BigInt(Math.min(bits, maxBits));
}

function fromBits(bits: bigint): YaqlValue {
	if (bits.toString(2).length > maxBits) throw new YaqlError("OverflowError", "the result has too many digits");
	return toInteger(bits);
}
