import { type JsonValue, stringifyJson } from "../../contract/index.ts";
import type { Budget } from "./budget.ts";
import { DatastoreReference } from "./datastore.ts";
import { TemplateError, UndefinedValueError } from "./errors.ts";

/**
 * What expressions work on: JSON, and four internal kinds that never leave a rendering. Nothing here is callable, and members
 * are own properties only, so that no prototype or constructor can be reached.
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

/** A whole number that is a float, which prints as `3.0`. Other floats are plain numbers. */
export class Float {
	readonly value: number;

	constructor(value: number) {
		this.value = value;
	}
}

/** What is not there. Only `is defined` and `default` accept it. */
export class Undefined {
	/** What is missing, as the error says it. */
	readonly description: string;

	constructor(description: string) {
		this.description = description;
	}
}

/** Made by `namespace()`: the one thing whose members a template may set. */
export class Namespace {
	readonly members = new Map<string, Value>();
}

export function toFloat(value: number): Value {
	return Number.isInteger(toFinite(value)) ? new Float(value) : value;
}

export function toFinite(value: number): number {
	if (!Number.isFinite(value)) throw new TemplateError("the result is not a finite number");
	return value;
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

/** The number a value stands for (true is 1), or undefined when it is none. */
export function numberOf(value: Value): number | bigint | undefined {
	if (typeof value === "number" || typeof value === "bigint") return value;
	if (typeof value === "boolean") return value ? 1 : 0;
	return value instanceof Float ? value.value : undefined;
}

export function isFloat(value: Value): boolean {
	return value instanceof Float || (typeof value === "number" && !Number.isInteger(value));
}

/** Name of the type in the reference language, for messages. */
export function typeName(value: Value): string {
	if (value === null) return "None";
	if (typeof value === "string") return "text";
	if (typeof value === "boolean") return "a boolean";
	if (isFloat(value)) return "a float";
	if (typeof value === "number" || typeof value === "bigint") return "an integer";
	if (isList(value)) return "a list";
	if (value instanceof DatastoreReference) return "the datastore";
	return value instanceof Undefined ? "undefined" : "an object";
}

/** The value itself, the text of a datastore item; an error that names what is missing for one that is undefined. */
export function demand(value: Value): Exclude<Value, Undefined> {
	if (value instanceof Undefined) throw new UndefinedValueError(value.description);
	if (value instanceof DatastoreReference) return value.resolve();
	return value;
}

export function isTrue(value: Value): boolean {
	const given = demand(value);
	if (given === null || given === "") return false;
	const number = numberOf(given);
	if (number !== undefined) return Number(number) !== 0;
	if (isList(given)) return given.length > 0;
	return isObject(given) ? Object.keys(given).length > 0 : true;
}

/**
 * An own member of an object, element of a list, character of a text, or undefined. A key that was computed may be a secret, so
 * that messages name only one that stands in the template.
 */
export function memberOf(object: Value, key: Value, budget: Budget, isWritten = false): Value {
	const name = demand(key);
	const container = object instanceof DatastoreReference ? object : demand(object);
	const missing = () => missingMember(container, isWritten ? name : undefined);
	if (container instanceof DatastoreReference) {
		return (
			(typeof name === "string" || typeof name === "number" || typeof name === "bigint" ? container.member(String(name)) : undefined) ??
			missing()
		);
	}
	if (container instanceof Namespace) return container.members.get(String(name)) ?? missing();
	if (isObject(container)) {
		const own = typeof name === "string" ? name : stringifyJson(toJson(name, 0, budget));
		return Object.hasOwn(container, own) ? (container[own] as Value) : missing();
	}
	const index = numberOf(name);
	if (typeof index === "number" && Number.isInteger(index) && (isList(container) || typeof container === "string")) {
		if (typeof container === "string") budget.text(container.length);
		const characters = isList(container) ? container : [...container];
		return characters[index < 0 ? index + characters.length : index] ?? missing();
	}
	return missing();
}

function missingMember(container: Value, name: Value | undefined): Undefined {
	if (name === undefined) return new Undefined(`${typeName(container)} has no member of the name asked for`);
	const shown = typeof name === "string" ? `"${name.slice(0, 100)}"` : (numberOf(name) ?? typeName(name));
	return new Undefined(`${typeName(container)} has no member ${shown}`);
}

/** The elements of a value that can be gone through: list, keys of an object, characters of a text. */
export function elementsOf(value: Value, budget: Budget): readonly Value[] {
	const given = demand(value);
	const elements = isList(given) ? given : typeof given === "string" ? [...given] : isObject(given) ? Object.keys(given) : undefined;
	if (elements === undefined) throw new TemplateError(`a list is needed, not ${typeName(given)}`);
	budget.step(elements.length);
	return elements;
}

/** The plain JSON value, internal kinds resolved. */
export function toJson(value: Value, depth: number, budget?: Budget): JsonValue {
	const given = demand(value);
	budget?.step();
	budget?.depth(depth);
	if (given instanceof DatastoreReference) throw new TemplateError("the name of a datastore item is missing");
	if (given instanceof Float) return given.value;
	if (given instanceof Namespace)
		return Object.fromEntries([...given.members].map(([key, member]) => [key, toJson(member, depth + 1, budget)]));
	if (isList(given)) return given.map((element) => toJson(element, depth + 1, budget));
	if (isObject(given)) return Object.fromEntries(Object.entries(given).map(([key, member]) => [key, toJson(member, depth + 1, budget)]));
	return given;
}
