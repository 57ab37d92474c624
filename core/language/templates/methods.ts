import type { Arguments } from "./arguments.ts";
import type { Budget } from "./budget.ts";
import { TemplateError } from "./errors.ts";
import { formatBraces } from "./format.ts";
import { contains, isEqual } from "./operators.ts";
import { capitalize, fillWithZeros, joinTexts, limitParts, replace, splitText, strip } from "./text-operations.ts";
import { elementsOf, isList, isObject, requireDefined, typeName, type Value, type ValueObject } from "./values.ts";

type Method<T> = (subject: T, args: Arguments, budget: Budget) => Value;

const textMethods: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
	["upper", (text) => text.toUpperCase()],
	["lower", (text) => text.toLowerCase()],
	["capitalize", (text) => capitalize(text)],
	["title", (text) => text.replace(/\p{L}+/gu, capitalize)],
	["strip", (text, args) => strip(text, optionalText(args, "chars"))],
	["lstrip", (text, args) => strip(text, optionalText(args, "chars"), "start")],
	["rstrip", (text, args) => strip(text, optionalText(args, "chars"), "end")],
	["split", split],
	["splitlines", (text, _args, budget) => withStepCost(text.replace(/\r?\n$/, "").split(/\r?\n/), budget)],
	["join", (text, args, budget) => joinTexts(elementsOf(args.required(0, "iterable"), budget), text, budget)],
	[
		"replace",
		(text, args, budget) => replace(text, args.text(0, "old"), args.text(1, "new"), { count: args.integer(2, "count", -1), budget }),
	],
	["startswith", (text, args) => edgeTexts(args, "prefix").some((edge) => text.startsWith(edge))],
	["endswith", (text, args) => edgeTexts(args, "suffix").some((edge) => text.endsWith(edge))],
	["find", (text, args) => text.indexOf(args.text(0, "sub"))],
	["count", (text, args) => (args.text(0, "sub") === "" ? text.length + 1 : text.split(args.text(0, "sub")).length - 1)],
	["isdigit", (text) => /^\p{Nd}+$/u.test(text)],
	["isalpha", (text) => /^\p{L}+$/u.test(text)],
	["isalnum", (text) => /^[\p{L}\p{N}]+$/u.test(text)],
	["islower", (text) => text !== text.toUpperCase() && text === text.toLowerCase()],
	["isupper", (text) => text !== text.toLowerCase() && text === text.toUpperCase()],
	["zfill", (text, args, budget) => zeroFill(text, args.integer(0, "width"), budget)],
	["format", (text, args, budget) => formatBraces(text, args.positional, args.named, budget)],
]);

const listMethods: ReadonlyMap<string, Method<readonly Value[]>> = new Map<string, Method<readonly Value[]>>([
	["index", (list, args, budget) => indexOf(list, args.required(0, "value"), budget)],
	["count", (list, args, budget) => list.filter((element) => isEqual(element, args.required(0, "value"), budget)).length],
]);

const objectMethods: ReadonlyMap<string, Method<ValueObject>> = new Map<string, Method<ValueObject>>([
	[
		"get",
		(object, args, budget) =>
			contains(object, args.required(0, "key"), budget)
				? (object[String(args.required(0, "key"))] as Value)
				: (args.get(1, "default") ?? null),
	],
	["keys", (object, _args, budget) => withStepCost(Object.keys(object), budget)],
	["values", (object, _args, budget) => withStepCost(Object.values(object), budget)],
	["items", (object, _args, budget) => withStepCost(Object.entries(object), budget)],
	["cycle", cycle],
]);

/** Names of all methods of strings, lists and objects. */
export const methodNames: readonly string[] = [...textMethods.keys(), ...listMethods.keys(), ...objectMethods.keys()];

/** Returns true if strings have a method of this name. */
export function isTextMethod(name: string): boolean {
	return textMethods.has(name);
}

/**
 * Calls a method of a value. Only the methods of this file exist, so that a template cannot reach any other function. Throws
 * `TemplateError` if the value has no such method.
 */
export function callMethod(subject: Value, name: string, args: Arguments, budget: Budget): Value {
	const value = requireDefined(subject);
	budget.spendSteps();
	if (typeof value === "string") {
		budget.spendText(value.length);
		const method = textMethods.get(name);
		if (method !== undefined) return method(value, args, budget);
	} else if (isList(value)) {
		const method = listMethods.get(name);
		if (method !== undefined) return method(value, args, budget);
	} else if (isObject(value)) {
		const method = objectMethods.get(name);
		if (method !== undefined) return method(value, args, budget);
	}
	throw new TemplateError(`${typeName(value)} has no method "${name}"`);
}

/** Returns the first argument, which may be absent or null. */
function optionalText(args: Arguments, name: string): string | undefined {
	return (args.get(0, name) ?? null) === null ? undefined : args.text(0, name);
}

function split(text: string, args: Arguments, budget: Budget): Value {
	const limit = args.integer(1, "maxsplit", -1);
	const separator = optionalText(args, "sep") ?? null;
	if (separator === "") throw args.error("needs a non-empty separator");
	return withStepCost(limitParts(splitText(text, separator), limit, { text, separator }), budget);
}

function edgeTexts(args: Arguments, name: string): readonly string[] {
	const value = args.required(0, name);
	const texts = isList(value) ? value : [value];
	if (!texts.every((text) => typeof text === "string")) throw args.error(`needs a string for "${name}"`);
	return texts;
}

function zeroFill(text: string, width: number, budget: Budget): string {
	budget.spendText(Math.max(width, text.length));
	return fillWithZeros(text, width);
}

function indexOf(list: readonly Value[], searchedValue: Value, budget: Budget): number {
	const index = list.findIndex((element) => isEqual(element, searchedValue, budget));
	if (index < 0) throw new TemplateError("the list does not contain the value");
	return index;
}

/** Implements `loop.cycle("odd", "even")`. Any object with a numeric `index0` is accepted, because only `loop` has one in practice. */
function cycle(object: ValueObject, args: Arguments): Value {
	const index = Object.hasOwn(object, "index0") ? object["index0"] : undefined;
	if (typeof index !== "number" || args.positional.length === 0) throw new TemplateError('"cycle" is a method of "loop" and needs values');
	return args.positional[index % args.positional.length] ?? null;
}

function withStepCost(values: readonly Value[], budget: Budget): readonly Value[] {
	budget.spendSteps(values.length);
	return values;
}
