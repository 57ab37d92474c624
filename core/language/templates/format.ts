import type { Budget } from "./budget.ts";
import { TemplateError } from "./errors.ts";
import { toPythonLiteral, toPythonText } from "./python-text.ts";
import { fillWithZeros } from "./text-operations.ts";
import { numberOf, typeName, type Value } from "./values.ts";

const percentField = /%(?<flags>[-+ 0#]*)(?<width>\d*)(?:\.(?<precision>\d+))?(?<kind>.)/gsu;

/** Formats like Python's `"%s: %.2f" % (name, value)`, with the fields s, r, d, i, f, x, X, o and %%. */
export function formatPercent(pattern: string, values: readonly Value[], budget: Budget): string {
	let nextIndex = 0;
	const parts: string[] = [];
	let end = 0;
	for (const match of pattern.matchAll(percentField)) {
		const { flags = "", width = "", precision, kind = "" } = match.groups ?? {};
		parts.push(pattern.slice(end, match.index));
		end = match.index + match[0].length;
		if (kind === "%") {
			parts.push("%");
			continue;
		}
		const value = values[nextIndex++];
		if (value === undefined) throw new TemplateError("the format has more fields than values");
		const text = formatField(kind, value, precision, budget);
		budget.spendText(Math.max(Number(width), text.length));
		parts.push(pad(text, Number(width), flags));
	}
	if (nextIndex < values.length && !(nextIndex === 0 && values.length === 1 && end === 0)) {
		throw new TemplateError("the format has fewer fields than values");
	}
	const result = parts.join("") + pattern.slice(end);
	budget.spendText(result.length);
	return result;
}

function formatField(kind: string, value: Value, precision: string | undefined, budget: Budget): string {
	if (kind === "s" || kind === "r") {
		const text = kind === "s" ? toPythonText(value, budget) : toPythonLiteral(value, budget);
		return precision === undefined ? text : text.slice(0, Number(precision));
	}
	const number = numberOf(value);
	if (number === undefined) throw new TemplateError(`the format needs a number for %${kind}, not ${typeName(value)}`);
	switch (kind) {
		case "d":
		case "i":
			return toWhole(number).toString();
		case "f":
			return Number(number).toFixed(Math.min(Number(precision ?? 6), 100));
		case "x":
			return toWhole(number).toString(16);
		case "X":
			return toWhole(number).toString(16).toUpperCase();
		case "o":
			return toWhole(number).toString(8);
		default:
			throw new TemplateError(`the format has an unknown field %${kind}`);
	}
}

/** Returns the integer part as an exact number, because large ordinary numbers print with an exponent. */
function toWhole(number: number | bigint): number | bigint {
	const wholeNumber = typeof number === "bigint" ? number : Math.trunc(number);
	return typeof wholeNumber === "bigint" || Number.isSafeInteger(wholeNumber) ? wholeNumber : BigInt(wholeNumber);
}

function pad(text: string, width: number, flags: string): string {
	const signedText = flags.includes("+") && /^\d/.test(text) ? `+${text}` : text;
	if (flags.includes("-")) return signedText.padEnd(width);
	return flags.includes("0") && /^[+-]?[\d.]+$/.test(signedText) ? fillWithZeros(signedText, width) : signedText.padStart(width);
}

const braceField = /\{\{|\}\}|\{(?<name>[^{}]*)\}/g;

/**
 * Formats like Python's `"{} {0} {name}".format(…)`, with plain fields only. Member access and format specifications are not supported,
 * because they are the usual way to escape a template sandbox.
 */
export function formatBraces(pattern: string, positional: readonly Value[], named: ReadonlyMap<string, Value>, budget: Budget): string {
	let nextIndex = 0;
	let size = pattern.length;
	return pattern.replace(braceField, (match: string, name: string | undefined) => {
		if (name === undefined) return match.charAt(0);
		const value = name === "" ? positional[nextIndex++] : /^\d+$/.test(name) ? positional[Number(name)] : named.get(name);
		if (value === undefined) throw new TemplateError("the format has a field without a value; fields are {}, {0} and {name}");
		const text = toPythonText(value, budget);
		size += text.length;
		budget.spendText(size);
		return text;
	});
}
