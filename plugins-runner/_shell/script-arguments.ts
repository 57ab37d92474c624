import {
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	type ParameterDefinitions,
	stringifyJson,
} from "../../core/contract/index.ts";
import { toPythonFloat, toPythonText } from "./python-text.ts";

/**
 * Returns the arguments of a script, named ones first. They are passed to the process without a shell, so that each value is exactly one
 * argument.
 *
 * @param operator prefix of the name of a named argument
 */
export function createScriptArguments(values: JsonObject, schema: ParameterDefinitions, operator: string): string[] {
	const named: string[] = [];
	const positional: { readonly position: number; readonly text: string }[] = [];
	const names = new Set([...Object.keys(values), ...Object.keys(schema).filter((name) => isPositional(schema[name]))]);
	for (const name of names) {
		const definition = Object.hasOwn(schema, name) ? schema[name] : undefined;
		const value = (Object.hasOwn(values, name) ? values[name] : undefined) ?? null;
		if (isPositional(definition)) positional.push({ position: definition.position, text: toPositional(value, definition) });
		else named.push(...toNamed(operator + name, value, definition));
	}
	positional.sort((left, right) => left.position - right.position);
	return [...named, ...positional.map(({ text }) => text)];
}

function isPositional(definition: ParameterDefinition | undefined): definition is ParameterDefinition & { readonly position: number } {
	return definition?.position !== undefined;
}

/** Returns a named argument. Unset values and false are omitted; true is the name alone. */
function toNamed(key: string, value: JsonValue, definition: ParameterDefinition | undefined): string[] {
	if (value === null || value === "" || value === false) return [];
	return value === true ? [key] : [`${key}=${toText(value, definition)}`];
}

/** Returns a positional argument. An unset one is an empty string, because the following arguments must keep their positions. */
function toPositional(value: JsonValue, definition: ParameterDefinition): string {
	if (value === null) return "";
	switch (definition.type) {
		case "boolean":
			return value === true ? "1" : "0";
		case "array":
			return Array.isArray(value) ? value.map(toPythonText).join(",") : toPythonText(value);
		case "object":
			return stringifyJson(value);
		case "string":
		case "number":
			return toText(value, definition);
		case "null":
			return "";
		default:
			return isTruthy(value) ? toPythonText(value) : "";
	}
}

function toText(value: JsonValue, definition: ParameterDefinition | undefined): string {
	return typeof value === "number" && definition?.type === "number" ? toPythonFloat(value) : toPythonText(value);
}

/**
 * True if Python treats the value as true. The integer 0 in a positional argument becomes an empty string, which existing scripts rely on.
 */
function isTruthy(value: JsonValue): boolean {
	if (Array.isArray(value)) return value.length > 0;
	return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}
