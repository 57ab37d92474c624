import type { Budget } from "./budget.ts";
import { toPythonText } from "./python-text.ts";
import { isList, isObject, requireDefined, type Value } from "./values.ts";

/** Formatting of JSON output. */
export interface JsonStyle {
	/** Spaces for each level. If undefined, everything is on one line. */
	readonly indent?: number | undefined;
	readonly sortKeys?: boolean;
	readonly itemSeparator: string;
	readonly keySeparator: string;
}

/** Returns JSON as Python's `json.dumps` writes it; characters beyond ASCII are escaped. */
export function toJsonText(value: Value, style: JsonStyle, budget: Budget, depth = 0): string {
	const definedValue = requireDefined(value);
	budget.spendSteps();
	budget.checkDepth(depth);
	if (typeof definedValue === "string") return quote(definedValue, budget);
	if (definedValue === null || typeof definedValue === "boolean") return String(definedValue);
	const writeInner = (member: Value) => toJsonText(member, style, budget, depth + 1);
	if (isList(definedValue)) return enclose("[]", definedValue.map(writeInner), style, budget, depth);
	if (!isObject(definedValue)) return toPythonText(definedValue, budget);
	const keys = Object.keys(definedValue);
	if (style.sortKeys === true) keys.sort();
	const members = keys.map((key) => quote(key, budget) + style.keySeparator + writeInner(definedValue[key] as Value));
	return enclose("{}", members, style, budget, depth);
}

function enclose(brackets: string, members: readonly string[], style: JsonStyle, budget: Budget, depth: number): string {
	const [open, close] = brackets;
	if (members.length === 0) return brackets;
	const indentWidth = style.indent;
	const lineBreak = indentWidth === undefined ? "" : `\n${" ".repeat(indentWidth * (depth + 1))}`;
	const separator = indentWidth === undefined ? style.itemSeparator : style.itemSeparator.trimEnd() + lineBreak;
	// Parts of a value may be shared, so its JSON can be much larger than its memory. The budget therefore counts the JSON of every level.
	budget.spendText(members.reduce((sum, member) => sum + member.length + separator.length, 0));
	return open + lineBreak + members.join(separator) + (indentWidth === undefined ? "" : `\n${" ".repeat(indentWidth * depth)}`) + close;
}

function quote(text: string, budget: Budget): string {
	budget.spendText(text.length);
	return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
