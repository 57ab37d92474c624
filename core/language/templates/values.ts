import { type JsonValue, stringifyJson } from "../../contract/index.ts";
import type { Budget } from "./budget.ts";
import { DatastoreReference } from "./datastore.ts";
import { TemplateError, UndefinedValueError } from "./errors.ts";

/**
 * Value of an expression: JSON, or one of four internal kinds that never leave a rendering. No value is callable, and members are own
 * properties only, so that a template cannot reach a prototype or constructor.
 */
export type Value =
	| string
	| number
	| bigint
	| boolean
	| null
	| Float
	| Undefined
	| Namespace
	| DatastoreReference
	| readonly Value[]
	| ValueObject;

export interface ValueObject {
	readonly [key: string]: Value;
}

/** Float with a whole value, which prints as `3.0`. Other floats are ordinary numbers. */
export class Float {
	readonly value: number;

	constructor(value: number) {
		this.value = value;
	}
}

/** Missing value. Only the filter `default`, the argument `default` of `map`, and the tests `defined` and `undefined` accept it. */
export class Undefined {
	/** Message of the error that a use of the value throws. */
	readonly description: string;

	constructor(description: string) {
		this.description = description;
	}
}

/** Result of `namespace()`: the only object whose members a template may set. */
export class Namespace {
	readonly members = new Map<string, Value>();
}

/** Returns a number as a float. Throws `TemplateError` if it is not finite. */
export function toFloat(value: number): Value {
	if (!Number.isFinite(value)) throw new TemplateError("the result is not a finite number");
	return Number.isInteger(value) ? new Float(value) : value;
}

export function isList(value: Value): value is readonly Value[] {
	return Array.isArray(value);
}

export function isObject(value: Value): value is ValueObject {
	return typeof value === "object" && value !== null && !Array.isArray(value) && !isInternal(value);
}

function isInternal(value: object): boolean {
	return value instanceof Float || value instanceof Undefined || value instanceof Namespace || value instanceof DatastoreReference;
}

/** Returns the number of a value, where true counts as 1; undefined if the value is not a number. */
export function numberOf(value: Value): number | bigint | undefined {
	if (typeof value === "number" || typeof value === "bigint") return value;
	if (typeof value === "boolean") return value ? 1 : 0;
	return value instanceof Float ? value.value : undefined;
}

export function isFloat(value: unknown): boolean {
	return value instanceof Float || (typeof value === "number" && !Number.isInteger(value));
}

/** Returns the type name of a value for messages. */
export function typeName(value: Value): string {
	if (value === null) return "None";
	if (typeof value === "string") return "a string";
	if (typeof value === "boolean") return "a boolean";
	if (isFloat(value)) return "a float";
	if (typeof value === "number" || typeof value === "bigint") return "an integer";
	if (isList(value)) return "a list";
	if (value instanceof DatastoreReference) return "the datastore";
	return value instanceof Undefined ? "undefined" : "an object";
}

/**
 * Returns the value. Reads it first if it refers to a datastore item. Throws `UndefinedValueError`, which names the missing value, if it is
 * undefined.
 */
export function requireDefined(value: Value): Exclude<Value, Undefined> {
	if (value instanceof Undefined) throw new UndefinedValueError(value.description);
	if (value instanceof DatastoreReference) return value.resolve();
	return value;
}

/** Returns true if a value is true by the rules of Python. */
export function isTrue(value: Value): boolean {
	const definedValue = requireDefined(value);
	if (definedValue === null || definedValue === "") return false;
	const number = numberOf(definedValue);
	if (number !== undefined) return Number(number) !== 0;
	if (isList(definedValue)) return definedValue.length > 0;
	return isObject(definedValue) ? Object.keys(definedValue).length > 0 : true;
}

/**
 * Returns an own member of an object, an element of a list or a character of a string; an `Undefined` if it does not exist. A computed key
 * may be a secret, so messages name a key only if it is a literal in the template.
 */
export function memberOf(object: Value, key: Value, budget: Budget, isLiteralKey = false): Value {
	const name = requireDefined(key);
	const container = object instanceof DatastoreReference ? object : requireDefined(object);
	const toMissing = () => missingMember(container, isLiteralKey ? name : undefined);
	if (container instanceof DatastoreReference) {
		return (
			(typeof name === "string" || typeof name === "number" || typeof name === "bigint" ? container.member(String(name)) : undefined) ??
			toMissing()
		);
	}
	if (container instanceof Namespace) return container.members.get(String(name)) ?? toMissing();
	if (isObject(container)) {
		const memberName = typeof name === "string" ? name : stringifyJson(toJson(name, 0, budget));
		return Object.hasOwn(container, memberName) ? (container[memberName] as Value) : toMissing();
	}
	const index = numberOf(name);
	if (typeof index === "number" && Number.isInteger(index) && (isList(container) || typeof container === "string")) {
		if (typeof container === "string") budget.spendText(container.length);
		const characters = isList(container) ? container : [...container];
		return characters[index < 0 ? index + characters.length : index] ?? toMissing();
	}
	return toMissing();
}

function missingMember(container: Value, name: Value | undefined): Undefined {
	if (name === undefined) return new Undefined(`${typeName(container)} has no member with this name`);
	const keyText = typeof name === "string" ? `"${name.slice(0, 100)}"` : (numberOf(name) ?? typeName(name));
	return new Undefined(`${typeName(container)} has no member ${keyText}`);
}

/**
 * Returns the elements of an iterable value: elements of a list, keys of an object, or characters of a string. Throws `TemplateError` for
 * any other value.
 */
export function elementsOf(value: Value, budget: Budget): readonly Value[] {
	const definedValue = requireDefined(value);
	const elements = isList(definedValue)
		? definedValue
		: typeof definedValue === "string"
			? [...definedValue]
			: isObject(definedValue)
				? Object.keys(definedValue)
				: undefined;
	if (elements === undefined) throw new TemplateError(`a list is required, not ${typeName(definedValue)}`);
	budget.spendSteps(elements.length);
	return elements;
}

/** Returns the value as plain JSON, without internal kinds. */
export function toJson(value: Value, depth: number, budget?: Budget): JsonValue {
	const definedValue = requireDefined(value);
	budget?.spendSteps();
	budget?.checkDepth(depth);
	if (definedValue instanceof DatastoreReference) throw new TemplateError("the name of a datastore item is missing");
	if (definedValue instanceof Float) return definedValue.value;
	if (definedValue instanceof Namespace)
		return Object.fromEntries([...definedValue.members].map(([key, member]) => [key, toJson(member, depth + 1, budget)]));
	if (isList(definedValue)) return definedValue.map((element) => toJson(element, depth + 1, budget));
	if (isObject(definedValue))
		return Object.fromEntries(Object.entries(definedValue).map(([key, member]) => [key, toJson(member, depth + 1, budget)]));
	return definedValue;
}

/** Returns the value as JSON, like `toJson`. Returns the same object if it is already plain JSON. */
export function toPlainValue(value: Value, budget: Budget, depth = 0): JsonValue {
	if (typeof value !== "object" || value === null) return value;
	budget.checkDepth(depth);
	const toPlain = (member: Value) => toPlainValue(member, budget, depth + 1);
	if (isList(value)) return convertElements(value, toPlain, budget);
	return isObject(value) ? convertMembers(value, toPlain, budget) : toJson(value, depth, budget);
}

/** Steps for inspecting a value that may stay unchanged. The cost is low because large results are often passed on as they are. */
const stepsPerInspectedValue = 1 / 8;

/** Converts the elements of a list. Returns the same list if none of them changes. */
export function convertElements<T, R>(list: readonly T[], convert: (element: T) => R, budget: Budget): readonly R[] {
	budget.spendSteps(stepsPerInspectedValue * (1 + list.length));
	const elements: readonly unknown[] = list.map(convert);
	return (elements.every((element, index) => element === list[index]) ? list : elements) as readonly R[];
}

/** Converts the members of an object. Returns the same object if none of them changes. */
export function convertMembers<T, R>(
	object: Readonly<Record<string, T>>,
	convert: (member: T) => R,
	budget: Budget,
): Readonly<Record<string, R>> {
	const members = Object.entries(object);
	budget.spendSteps(stepsPerInspectedValue * (1 + members.length));
	const entries = members.map(([key, member]): [string, unknown] => [key, convert(member)]);
	return (entries.every(([key, member]) => member === object[key]) ? object : Object.fromEntries(entries)) as Readonly<Record<string, R>>;
}
