import { toCanonicalInteger } from "../contract/index.ts";

/** Operator of exact arithmetic with whole numbers. */
export type WholeOperator = "+" | "-" | "*" | "//" | "%" | "**";

/** Bound of exact results. Larger results have more than 1,000 digits, which `parseJson` would refuse. */
const resultLimit = 10n ** 1_000n;
const resultLimitBits = 3_322;

/**
 * Returns the exact result of an operator on whole numbers: a `bigint` beyond `Number.MAX_SAFE_INTEGER`. Division rounds towards negative
 * infinity, like in Python. Returns undefined if the result has more than 1,000 digits. The divisor must not be 0, and the exponent must
 * not be negative.
 */
export function calculateWhole(operator: WholeOperator, left: number | bigint, right: number | bigint): number | bigint | undefined {
	if (typeof left === "number" && typeof right === "number") {
		const result = calculateNumbers(operator, left, right);
		if (Number.isSafeInteger(result)) return result + 0;
	}
	const [x, y] = [BigInt(left), BigInt(right)];
	if (operator === "**" && x.toString(2).length * Number(right) > resultLimitBits + 2) return undefined;
	const result = calculateLarge(operator, x, y);
	return result < resultLimit && result > -resultLimit ? toCanonicalInteger(result) : undefined;
}

/** Returns the result of an operator on ordinary numbers. Division rounds towards negative infinity, like in Python. */
export function calculateNumbers(operator: WholeOperator, x: number, y: number): number {
	switch (operator) {
		case "+":
			return x + y;
		case "-":
			return x - y;
		case "*":
			return x * y;
		case "**":
			return x ** y;
		case "//":
			return Math.floor(x / y);
		case "%": {
			const remainder = x % y;
			return remainder !== 0 && remainder < 0 !== y < 0 ? remainder + y : remainder;
		}
	}
}

function calculateLarge(operator: WholeOperator, x: bigint, y: bigint): bigint {
	switch (operator) {
		case "+":
			return x + y;
		case "-":
			return x - y;
		case "*":
			return x * y;
		case "**":
			return x ** y;
	}
	const remainder = x % y;
	const shouldRoundDown = remainder !== 0n && remainder < 0n !== y < 0n;
	if (operator === "//") return x / y - (shouldRoundDown ? 1n : 0n);
	return shouldRoundDown ? remainder + y : remainder;
}

/** Rounds to a whole number, and exactly half to the even one. */
export function roundHalfEven(value: number): number {
	return Math.abs(value % 1) === 0.5 ? 2 * Math.round(value / 2) : Math.round(value);
}

export function isWholeNumber(value: unknown): value is number | bigint {
	return typeof value === "bigint" || Number.isInteger(value);
}

export function isNumber(value: unknown): value is number | bigint {
	return typeof value === "number" || typeof value === "bigint";
}

/** Returns true if two numbers are equal, even if one is a `bigint` and the other is not. */
export function isSameNumber(x: number | bigint, y: number | bigint): boolean {
	return x === y || (typeof x !== typeof y && x <= y && x >= y);
}

/** Returns -1, 0 or 1 if the first number is less than, equal to or greater than the second. */
export function compareNumbers(x: number | bigint, y: number | bigint): number {
	return x < y ? -1 : Number(x > y);
}
