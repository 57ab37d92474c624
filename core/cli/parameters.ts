import { readFileSync } from "node:fs";
import {
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	type ParameterDefinitions,
	parseInteger,
	parseJson,
} from "../contract/index.ts";
import { CliExit } from "./context.ts";
import { toFileProblem } from "./read-file.ts";

/** Schemas that determine the types of parameters. A type in the schema of the runner takes precedence. */
export interface Schemas {
	readonly runner: ParameterDefinitions;
	readonly action: ParameterDefinitions;
}

/**
 * Parses parameters from the words of the command line: `name=value`, or `@name=file` for the content of a file. The first word of another
 * form and all words after it become `cmd`.
 */
export function parseParameters(words: readonly string[], schemas: Schemas, options: { readonly autoDict?: boolean } = {}): JsonObject {
	const values: Record<string, JsonValue> = Object.create(null);
	for (const [index, word] of words.entries()) {
		const equals = word.indexOf("=");
		if (equals <= 0) {
			values["cmd"] = words.slice(index).join(" ");
			break;
		}
		const name = word.slice(0, equals);
		const text = word.slice(equals + 1);
		if (name.startsWith("@")) values[name.slice(1)] = readText(name.slice(1), text);
		else set(values, name, text, schemas, options.autoDict === true);
	}
	return { ...values };
}

function definitionOf(name: string, { runner, action }: Schemas): ParameterDefinition {
	const own = (schema: ParameterDefinitions) => (Object.hasOwn(schema, name) ? schema[name] : undefined);
	const [fromRunner, fromAction] = [own(runner), own(action)];
	return (fromRunner?.type === undefined ? fromAction : fromRunner) ?? fromRunner ?? {};
}

function set(values: Record<string, JsonValue>, name: string, text: string, schemas: Schemas, autoDict: boolean): void {
	const definition = definitionOf(name, schemas);
	const value = castText(name, text, definition, autoDict);
	const before = values[name];
	// A repeated array parameter adds to the array.
	values[name] = definition.type === "array" && Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
}

function readText(name: string, path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		throw new CliExit(1, `parameter "${name}": ${toFileProblem(path, error)}`);
	}
}

/**
 * Converts a word of the command line to the type of its definition. Exits with 1 and a message that names the parameter if the word does
 * not have that type.
 */
export function castText(name: string, text: string, definition: ParameterDefinition, autoDict: boolean): JsonValue {
	switch (definition.type) {
		case "integer":
			if (/^[+-]?\d+$/.test(text)) return parseInteger(text);
			throw mismatch(name, text, "an integer");
		case "number":
			if (/^[+-]?\d+$/.test(text)) return parseInteger(text);
			if (text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
			throw mismatch(name, text, "a number");
		case "boolean":
			if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
			throw mismatch(name, text, "true or false");
		case "array":
			return castArray(text, definition, autoDict);
		case "object":
			return castObject(name, text);
		default:
			return text;
	}
}

function castArray(text: string, definition: ParameterDefinition, autoDict: boolean): JsonValue {
	const parsed = parseOrUndefined(text);
	if (Array.isArray(parsed)) return parsed;
	if (typeof parsed === "number" || typeof parsed === "bigint") return [parsed];
	const parts = text === "" ? [] : text.split(",").map((part) => part.trim());
	if (!autoDict || parts.length === 0 || !parts.every((part) => part.includes(":"))) return parts.map((part) => castItem(part, definition));
	const properties = definition.properties ?? {};
	return [
		Object.fromEntries(
			parts.map((part): [string, JsonValue] => {
				const key = part.slice(0, part.indexOf(":"));
				return [key, castText(key, part.slice(key.length + 1), Object.hasOwn(properties, key) ? (properties[key] ?? {}) : {}, false)];
			}),
		),
	];
}

function castItem(text: string, { items }: ParameterDefinition): JsonValue {
	const scalar = items !== undefined && "type" in items && ["integer", "number", "boolean"].includes(String(items.type));
	return scalar ? castText("item", text, items as ParameterDefinition, false) : text;
}

function castObject(name: string, text: string): JsonValue {
	if (text.trimStart().startsWith("{")) {
		const parsed = parseOrUndefined(text);
		if (parsed !== undefined && parsed !== null && typeof parsed === "object" && !Array.isArray(parsed)) return parsed;
		throw mismatch(name, text, "a JSON object");
	}
	return Object.fromEntries(
		text.split(",").map((pair) => {
			const equals = pair.indexOf("=");
			if (equals <= 0) throw mismatch(name, text, "a JSON object, or key=value pairs separated by commas");
			return [pair.slice(0, equals).trim(), pair.slice(equals + 1)];
		}),
	);
}

function parseOrUndefined(text: string): JsonValue | undefined {
	try {
		return parseJson(text);
	} catch {
		return undefined;
	}
}

function mismatch(name: string, text: string, expected: string): CliExit {
	return new CliExit(1, `parameter "${name}" must be ${expected}, not "${text}"`);
}
