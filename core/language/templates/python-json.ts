import type { Budget } from "./budget.ts";
import { toText } from "./python-text.ts";
import { demand, isList, isObject, type Value } from "./values.ts";

export interface JsonStyle {
	/** Blanks for each level; undefined puts everything on one line. */
	readonly indent?: number | undefined;
	readonly sortKeys?: boolean;
	readonly itemSeparator: string;
	readonly keySeparator: string;
}

/** JSON with the separators of the reference language; characters beyond ASCII are escaped. */
export function toJsonText(value: Value, style: JsonStyle, budget: Budget): string {
	return write(value, style, budget, 0);
}

function write(value: Value, style: JsonStyle, budget: Budget, depth: number): string {
	const given = demand(value);
	budget.step();
	budget.depth(depth);
	if (typeof given === "string") return quote(given, budget);
	if (given === null || typeof given === "boolean") return String(given);
	const inner = (member: Value) => write(member, style, budget, depth + 1);
	if (isList(given)) return enclose("[]", given.map(inner), style, budget, depth);
	if (!isObject(given)) return toText(given, budget);
	const keys = Object.keys(given);
	if (style.sortKeys === true) keys.sort();
	const members = keys.map((key) => quote(key, budget) + style.keySeparator + inner(given[key] as Value));
	return enclose("{}", members, style, budget, depth);
}

function enclose(brackets: string, members: readonly string[], style: JsonStyle, budget: Budget, depth: number): string {
	const [open, close] = brackets;
	if (members.length === 0) return brackets;
	const width = style.indent;
	const line = width === undefined ? "" : `\n${" ".repeat(width * (depth + 1))}`;
	const separator = width === undefined ? style.itemSeparator : style.itemSeparator.trimEnd() + line;
	// Values may share parts, so that the text is far larger than what is held: every level is accounted for.
	budget.text(members.reduce((sum, member) => sum + member.length + separator.length, 0));
	return open + line + members.join(separator) + (width === undefined ? "" : `\n${" ".repeat(width * depth)}`) + close;
}

function quote(text: string, budget: Budget): string {
	budget.text(text.length);
	return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
