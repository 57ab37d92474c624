import { toWholeNumber } from "../contract/index.ts";

export type WholeOperator = "+" | "-" | "*" | "//" | "%" | "**";

/** Results beyond have more than 1,000 digits, which could be neither read nor written as JSON. */
const limit = 10n ** 1_000n;
const limitBits = 3_322;

/**
 * Result of an operator on whole numbers, exact: a `bigint` beyond `Number.MAX_SAFE_INTEGER`. Divides as Python does, towards the smaller
 * number. Returns undefined if the result has more than 1,000 digits. The divisor must not be 0, the exponent not negative.
 */
export function calculateWhole(operator: WholeOperator, left: number | bigint, right: number | bigint): number | bigint | undefined {
	if (typeof left === "number" && typeof right === "number") {
		const result = calculateNumbers(operator, left, right);
		if (Number.isSafeInteger(result)) return result + 0;
	}
	const [x, y] = [BigInt(left), BigInt(right)];
	if (operator === "**" && x.toString(2).length * Number(right) > limitBits + 2) return undefined;
	const result = calculateLarge(operator, x, y);
	return result < limit && result > -limit ? toWholeNumber(result) : undefined;
}

function calculateNumbers(operator: WholeOperator, x: number, y: number): number {
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
			const rest = x % y;
			return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
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
	const rest = x % y;
	const isBetween = rest !== 0n && rest < 0n !== y < 0n;
	if (operator === "//") return x / y - (isBetween ? 1n : 0n);
	return isBetween ? rest + y : rest;
}

/** Returns true if two numbers are equal, whichever of the two types each has. */
export function isSameNumber(x: number | bigint, y: number | bigint): boolean {
	return x === y || (typeof x !== typeof y && x <= y && x >= y);
}

/** Negative, zero or positive. */
export function orderNumbers(x: number | bigint, y: number | bigint): number {
	return x < y ? -1 : Number(x > y);
}
