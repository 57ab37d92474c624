import { parseInteger, toCanonicalInteger } from "../../../contract/index.ts";
import { TemplateError } from "../errors.ts";
import { isFloat, numberOf, toFloat, typeName, type Value } from "../values.ts";
import type { Filter } from "./filter.ts";

export const numberFilters: Readonly<Record<string, Filter>> = {
	int: (input, args) => {
		const number = typeof input === "string" ? parseIntegerText(input, args.integer(1, "base", 10)) : numberOf(input);
		if (number === undefined) return args.get(0, "default") ?? 0;
		return typeof number === "bigint" ? number : toCanonicalInteger(BigInt(Math.trunc(number)));
	},
	float: (input, args) => {
		const number = typeof input === "string" ? parseDecimal(input) : numberOf(input);
		return number === undefined ? (args.get(0, "default") ?? toFloat(0)) : toFloat(Number(number));
	},
	abs: (input) => {
		const number = requireNumber(input, "abs");
		const absoluteValue = number < 0 ? -number : number;
		return isFloat(input) ? toFloat(Number(absoluteValue)) : absoluteValue;
	},
	round: (input, args) => {
		const precision = args.integer(0, "precision", 0);
		if (Math.abs(precision) > 20) throw args.error("needs a precision between -20 and 20");
		return toFloat(roundTo(Number(requireNumber(input, "round")), precision, args.text(1, "method", "common")));
	},
};

function requireNumber(input: Value, filter: string): number | bigint {
	const number = numberOf(input);
	if (number === undefined) throw new TemplateError(`filter "${filter}" needs a number, not ${typeName(input)}`);
	return number;
}

/** Prefix and pattern of numbers in other bases than 10. */
const bases: ReadonlyMap<number, { readonly prefix: string; readonly pattern: RegExp }> = new Map([
	[2, { prefix: "0b", pattern: /^[+-]?(?:0b)?[01]+$/i }],
	[8, { prefix: "0o", pattern: /^[+-]?(?:0o)?[0-7]+$/i }],
	[16, { prefix: "0x", pattern: /^[+-]?(?:0x)?[\da-f]+$/i }],
]);

function parseIntegerText(text: string, base: number): number | bigint | undefined {
	const trimmed = text.trim();
	const { prefix, pattern } = bases.get(base) ?? {};
	if (/^[+-]?\d+$/.test(trimmed) && pattern === undefined) return parseInteger(trimmed);
	if (pattern?.test(trimmed) !== true) return parseDecimal(trimmed);
	const digits = trimmed.replace(/^[+-]/, "").replace(/^0[box]/i, "");
	const absoluteValue = toCanonicalInteger(BigInt(`${prefix}${digits}`));
	return trimmed.startsWith("-") ? -absoluteValue : absoluteValue;
}

/** Returns the number that a decimal string represents; undefined if it represents none. */
export function parseDecimal(text: string): number | undefined {
	const trimmed = text.trim();
	if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return undefined;
	const number = Number(trimmed);
	return Number.isFinite(number) ? number : undefined;
}

function roundTo(number: number, precision: number, method: string): number {
	const scale = 10 ** precision;
	if (method === "ceil") return Math.ceil(number * scale) / scale;
	if (method === "floor") return Math.floor(number * scale) / scale;
	if (method !== "common") throw new TemplateError('filter "round" supports the methods common, ceil and floor');
	const scaled = number * scale;
	// Rounds half to even. Only a multiple of 2^-(precision+1) can be exactly half.
	const isHalf = Math.abs(scaled % 1) === 0.5 && Number.isInteger(number * 2 ** (precision + 1));
	if (isHalf) return (2 * Math.round(scaled / 2)) / scale;
	return precision < 0 ? Math.round(scaled) / scale : Number(number.toFixed(precision));
}
