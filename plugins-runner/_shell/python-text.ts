import type { JsonValue } from "../../core/contract/index.ts";

/** Returns the value formatted like Python's `str`, which scripts expect as an argument. */
export function toPythonText(value: JsonValue): string {
	return typeof value === "string" ? value : toPythonLiteral(value);
}

/** Returns a number formatted like a Python float: always with a decimal point or an exponent. */
export function toPythonFloat(value: number): string {
	if (!Number.isFinite(value)) return String(value);
	const [, exponentText = "0"] = value.toExponential().split("e");
	const exponent = Number(exponentText);
	if (value !== 0 && (exponent < -4 || exponent >= 16)) {
		const [digits = ""] = value.toExponential().split("e");
		return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
	}
	const text = exponent < 0 ? toPlainFraction(value) : String(value);
	return text.includes(".") ? text : `${text}.0`;
}

function toPythonLiteral(value: JsonValue): string {
	if (value === null) return "None";
	if (typeof value === "boolean") return value ? "True" : "False";
	if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value).toString() : toPythonFloat(value);
	if (typeof value === "bigint") return String(value);
	if (typeof value === "string") return quote(value);
	if (Array.isArray(value)) return `[${value.map(toPythonLiteral).join(", ")}]`;
	return `{${Object.entries(value)
		.map(([key, item]) => `${quote(key)}: ${toPythonLiteral(item)}`)
		.join(", ")}}`;
}

/** Returns a Python string literal in single quotes. Uses double quotes if only single ones would need escapes. */
function quote(text: string): string {
	const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
	let quoted = "";
	for (const character of text) quoted += character === mark ? `\\${mark}` : toEscaped(character);
	return mark + quoted + mark;
}

const shortEscapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function toEscaped(character: string): string {
	const short = shortEscapes[character];
	if (short !== undefined) return short;
	// Python treats all characters as printable except control, format, surrogate, private, unassigned, and spaces other than U+0020.
	if (character === " " || !/[\p{C}\p{Z}]/u.test(character)) return character;
	const code = character.codePointAt(0) ?? 0;
	if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
	return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Returns a small number without exponent. JavaScript uses exponents from 1e-7, Python from 1e-5. */
function toPlainFraction(value: number): string {
	const [digits = "0", exponent = "0"] = value.toExponential().split("e");
	return value.toFixed(Math.min(100, Math.max(0, digits.replace(/[^0-9]/g, "").length - 1 - Number(exponent))));
}
