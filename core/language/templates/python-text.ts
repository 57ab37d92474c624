import type { Budget } from "./budget.ts";
import { DatastoreReference } from "./datastore.ts";
import { TemplateError } from "./errors.ts";
import { demand, Float, isList, Namespace, type Value } from "./values.ts";

/** Text of a value as the reference language prints it: `True`, `None`, `3.0`, `['a', {'b': 1}]`. Text stays as it is. */
export function toText(value: Value, budget: Budget): string {
	return typeof value === "string" ? value : toLiteral(value, budget);
}

/** The value as a literal of the reference language; text in quotes. */
export function toLiteral(value: Value, budget: Budget): string {
	const text = write(value, budget, 0);
	budget.text(text.length);
	return text;
}

function write(value: Value, budget: Budget, depth: number): string {
	const given = demand(value);
	budget.step();
	budget.depth(depth);
	if (given === null) return "None";
	if (typeof given === "boolean") return given ? "True" : "False";
	if (typeof given === "number") return numberText(given);
	if (typeof given === "bigint") return String(given);
	if (typeof given === "string") return quote(given, budget);
	if (given instanceof Float) return floatText(given.value);
	if (given instanceof Namespace) return "<namespace>";
	if (given instanceof DatastoreReference) throw new TemplateError("the name of a datastore item is missing");
	const inner = isList(given)
		? given.map((element) => write(element, budget, depth + 1))
		: Object.keys(given).map((key) => `${quote(key, budget)}: ${write(given[key] as Value, budget, depth + 1)}`);
	// Values may share parts, so that what is printed is far larger than what is held: every level is accounted for.
	budget.text(inner.reduce((sum, text) => sum + text.length + 2, 0));
	return isList(given) ? `[${inner.join(", ")}]` : `{${inner.join(", ")}}`;
}

function numberText(value: number): string {
	if (!Number.isInteger(value)) return floatText(value);
	return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

/** Shortest text that reads back the same, with an exponent below 1e-4 and from 1e16 on. */
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

/** Characters that are written as escapes: controls, separators and formats other than the blank, unpaired surrogates. */
const unprintable = /[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?! )\p{Zs}/gu;

function quote(text: string, budget: Budget): string {
	budget.text(text.length);
	const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
	const escaped = text.replace(unprintable, (character) => {
		const code = character.codePointAt(0) ?? 0;
		if (escapes[character] !== undefined) return escapes[character];
		if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
		return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
	});
	return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}
