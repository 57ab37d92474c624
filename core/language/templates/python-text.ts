import type { Budget } from "./budget.ts";
import { DatastoreReference } from "./datastore.ts";
import { TemplateError } from "./errors.ts";
import { Float, isList, Namespace, requireDefined, type Value } from "./values.ts";

/** Returns a value as Python's `str` prints it: `True`, `None`, `3.0`, `['a', {'b': 1}]`. Strings stay unchanged. */
export function toPythonText(value: Value, budget: Budget): string {
	return typeof value === "string" ? value : toPythonLiteral(value, budget);
}

/** Returns the value as a Python literal; strings are quoted. */
export function toPythonLiteral(value: Value, budget: Budget): string {
	const text = writeLiteral(value, budget, 0);
	budget.spendText(text.length);
	return text;
}

function writeLiteral(value: Value, budget: Budget, depth: number): string {
	const definedValue = requireDefined(value);
	budget.spendSteps();
	budget.checkDepth(depth);
	if (definedValue === null) return "None";
	if (typeof definedValue === "boolean") return definedValue ? "True" : "False";
	if (typeof definedValue === "number") return numberText(definedValue);
	if (typeof definedValue === "bigint") return String(definedValue);
	if (typeof definedValue === "string") return quote(definedValue, budget);
	if (definedValue instanceof Float) return floatText(definedValue.value);
	if (definedValue instanceof Namespace) return "<namespace>";
	if (definedValue instanceof DatastoreReference) throw new TemplateError("the name of a datastore item is missing");
	const innerTexts = isList(definedValue)
		? definedValue.map((element) => writeLiteral(element, budget, depth + 1))
		: Object.keys(definedValue).map((key) => `${quote(key, budget)}: ${writeLiteral(definedValue[key] as Value, budget, depth + 1)}`);
	// Parts of a value may be shared, so its literal can be much larger than its memory. The budget therefore counts the characters of
	// every level.
	budget.spendText(innerTexts.reduce((sum, text) => sum + text.length + 2, 0));
	return isList(definedValue) ? `[${innerTexts.join(", ")}]` : `{${innerTexts.join(", ")}}`;
}

function numberText(value: number): string {
	if (!Number.isInteger(value)) return floatText(value);
	return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

/**
 * Returns the shortest literal from which Python reads the same number. The literal has an exponent if the absolute value is below 1e-4 or
 * at least 1e16.
 */
function floatText(value: number): string {
	const size = Math.abs(value);
	if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
		const [mantissa, exponent = "0"] = value.toExponential().split("e");
		const digits = exponent.replace(/^[+-]/, "").padStart(2, "0");
		return `${mantissa}e${exponent.startsWith("-") ? "-" : "+"}${digits}`;
	}
	if (Object.is(value, -0)) return "-0.0";
	return Number.isInteger(value) ? `${value}.0` : String(value);
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Characters that are written as escapes: controls, formats, separators other than the space, and unpaired surrogates. */
const unprintablePattern = /[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?! )\p{Zs}/gu;

function quote(text: string, budget: Budget): string {
	budget.spendText(text.length);
	const quoteMark = text.includes("'") && !text.includes('"') ? '"' : "'";
	const escaped = text.replace(unprintablePattern, (character) => {
		const code = character.codePointAt(0) ?? 0;
		if (escapes[character] !== undefined) return escapes[character];
		if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
		return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
	});
	return quoteMark + (quoteMark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quoteMark;
}
