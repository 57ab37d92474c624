import type { JsonObject, JsonValue, ParameterDefinition, ParameterDefinitions } from "../../../contract/index.ts";
import { memberDefinitions } from "../../../language/parameters/secret-schema.ts";

/** String in a configuration, with its definition in the schema. */
export interface LocatedString {
	readonly text: string;
	/** Path such as `accounts.0.pin`. */
	readonly path: string;
	readonly definition: ParameterDefinition | undefined;
	/** True if the string, or a value that contains it, is secret. */
	readonly isSecret: boolean;
}

type Place = Omit<LocatedString, "text">;

/** Returns the values with each string replaced by the result of `map`. */
export function mapStrings(values: JsonObject, schema: ParameterDefinitions, map: (place: LocatedString) => JsonValue): JsonObject {
	return mapValue(values, { path: "", definition: { properties: schema }, isSecret: false }, map) as JsonObject;
}

function mapValue(value: JsonValue, place: Place, map: (place: LocatedString) => JsonValue): JsonValue {
	if (typeof value === "string") return map({ ...place, text: value });
	if (Array.isArray(value)) {
		const items = value as readonly JsonValue[];
		return items.map((item, index) => mapValue(item, inner(place, String(index), itemDefinition(place.definition, index)), map));
	}
	if (typeof value !== "object" || value === null) return value;
	const members = Object.entries(value as JsonObject);
	return Object.fromEntries(
		members.map(([name, member]) => [name, mapValue(member, inner(place, name, memberDefinition(place.definition, name)), map)]),
	);
}

/** Returns the definition of a member of an object, or undefined if there is none. */
export function memberDefinition(definition: ParameterDefinition | undefined, name: string): ParameterDefinition | undefined {
	return definition === undefined ? undefined : memberDefinitions(definition, name)[0];
}

/** Returns the definition of an element of a list, or undefined if there is none. */
export function itemDefinition(definition: ParameterDefinition | undefined, index: number): ParameterDefinition | undefined {
	const items = definition?.items;
	return Array.isArray(items) ? (items[index] as ParameterDefinition | undefined) : (items as ParameterDefinition | undefined);
}

function inner({ path, isSecret }: Place, name: string, definition: ParameterDefinition | undefined): Place {
	return { path: path === "" ? name : `${path}.${name}`, definition, isSecret: isSecret || definition?.secret === true };
}
