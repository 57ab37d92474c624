import type { Arguments } from "./arguments.ts";
import type { Budget } from "./budget.ts";
import { TemplateError } from "./errors.ts";
import { formatBraces } from "./format.ts";
import { contains, isEqual } from "./operators.ts";
import { capitalize, joinTexts, replace, strip } from "./text-operations.ts";
import { demand, elementsOf, isList, isObject, typeName, type Value, type ValueObject } from "./values.ts";

type Method<T> = (subject: T, given: Arguments, budget: Budget) => Value;

const textMethods: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
	["upper", (text) => text.toUpperCase()],
	["lower", (text) => text.toLowerCase()],
	["capitalize", (text) => capitalize(text)],
	["title", (text) => text.replace(/\p{L}+/gu, capitalize)],
	["strip", (text, given) => strip(text, characters(given))],
	["lstrip", (text, given) => strip(text, characters(given), "start")],
	["rstrip", (text, given) => strip(text, characters(given), "end")],
	["split", split],
	["splitlines", (text, _given, budget) => counted(text.replace(/\r?\n$/, "").split(/\r?\n/), budget)],
	["join", (text, given, budget) => joinTexts(elementsOf(given.required(0, "iterable"), budget), text, budget)],
	[
		"replace",
		(text, given, budget) => replace(text, given.text(0, "old"), given.text(1, "new"), { count: given.integer(2, "count", -1), budget }),
	],
	["startswith", (text, given) => edges(given, "prefix").some((edge) => text.startsWith(edge))],
	["endswith", (text, given) => edges(given, "suffix").some((edge) => text.endsWith(edge))],
	["find", (text, given) => text.indexOf(given.text(0, "sub"))],
	["count", (text, given) => (given.text(0, "sub") === "" ? text.length + 1 : text.split(given.text(0, "sub")).length - 1)],
	["isdigit", (text) => /^\p{Nd}+$/u.test(text)],
	["isalpha", (text) => /^\p{L}+$/u.test(text)],
	["isalnum", (text) => /^[\p{L}\p{N}]+$/u.test(text)],
	["islower", (text) => text !== text.toUpperCase() && text === text.toLowerCase()],
	["isupper", (text) => text !== text.toLowerCase() && text === text.toUpperCase()],
	["zfill", (text, given, budget) => zeroFill(text, given.integer(0, "width"), budget)],
	["format", (text, given, budget) => formatBraces(text, given.positional, given.named, budget)],
]);

const listMethods: ReadonlyMap<string, Method<readonly Value[]>> = new Map<string, Method<readonly Value[]>>([
	["index", (list, given, budget) => indexOf(list, given.required(0, "value"), budget)],
	["count", (list, given, budget) => list.filter((element) => isEqual(element, given.required(0, "value"), budget)).length],
]);

const objectMethods: ReadonlyMap<string, Method<ValueObject>> = new Map<string, Method<ValueObject>>([
	[
		"get",
		(object, given, budget) =>
			contains(object, given.required(0, "key"), budget)
				? (object[String(given.required(0, "key"))] as Value)
				: (given.get(1, "default") ?? null),
	],
	["keys", (object, _given, budget) => counted(Object.keys(object), budget)],
	["values", (object, _given, budget) => counted(Object.values(object), budget)],
	["items", (object, _given, budget) => counted(Object.entries(object), budget)],
	["cycle", cycle],
]);

/** Names of the methods that some value has. */
export const methodNames: readonly string[] = [...textMethods.keys(), ...listMethods.keys(), ...objectMethods.keys()];

/** Whether texts have a method of this name. */
export function isTextMethod(name: string): boolean {
	return textMethods.has(name);
}

/** Call one of the methods that templates may use. There is no other way to reach a function. */
export function callMethod(subject: Value, name: string, given: Arguments, budget: Budget): Value {
	const value = demand(subject);
	budget.step();
	if (typeof value === "string") {
		budget.text(value.length);
		const method = textMethods.get(name);
		if (method !== undefined) return method(value, given, budget);
	} else if (isList(value)) {
		const method = listMethods.get(name);
		if (method !== undefined) return method(value, given, budget);
	} else if (isObject(value)) {
		const method = objectMethods.get(name);
		if (method !== undefined) return method(value, given, budget);
	}
	throw new TemplateError(`${typeName(value)} has no method "${name}"`);
}

function characters(given: Arguments): string | undefined {
	const value = given.get(0, "chars");
	return value === undefined || value === null ? undefined : given.text(0, "chars");
}

function split(text: string, given: Arguments, budget: Budget): Value {
	const limit = given.integer(1, "maxsplit", -1);
	const separator = given.get(0, "sep") ?? null;
	if (separator === "") throw given.error("needs a separator that is not empty");
	const words = separator === null ? text.split(/\s+/).filter((word) => word !== "") : text.split(given.text(0, "sep"));
	if (limit < 0 || words.length <= limit + 1) return counted(words, budget);
	if (separator !== null) return counted([...words.slice(0, limit), words.slice(limit).join(given.text(0, "sep"))], budget);
	let rest = text.trimStart();
	for (const word of words.slice(0, limit)) rest = rest.slice(word.length).trimStart();
	return counted([...words.slice(0, limit), rest], budget);
}

function edges(given: Arguments, name: string): readonly string[] {
	const value = given.required(0, name);
	const texts = isList(value) ? value : [value];
	if (!texts.every((text) => typeof text === "string")) throw given.error(`needs a text for "${name}"`);
	return texts;
}

function zeroFill(text: string, width: number, budget: Budget): string {
	budget.text(Math.max(width, text.length));
	const sign = /^[+-]/.test(text) ? text.charAt(0) : "";
	return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}

function indexOf(list: readonly Value[], sought: Value, budget: Budget): number {
	const index = list.findIndex((element) => isEqual(element, sought, budget));
	if (index < 0) throw new TemplateError("the list does not hold the value whose index is asked for");
	return index;
}

/** `loop.cycle("odd", "even")`: the loop is the only object with `index0` that has any use for it. */
function cycle(object: ValueObject, given: Arguments): Value {
	const index = Object.hasOwn(object, "index0") ? object["index0"] : undefined;
	if (typeof index !== "number" || given.positional.length === 0) throw new TemplateError('"cycle" is a method of "loop" and needs values');
	return given.positional[index % given.positional.length] ?? null;
}

function counted(values: readonly Value[], budget: Budget): readonly Value[] {
	budget.step(values.length);
	return values;
}
