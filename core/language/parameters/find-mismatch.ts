import type { ErrorObject } from "ajv";
import {
	isSvcError,
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	stringifyJson,
	toErrorMessage,
} from "../../contract/index.ts";
import { asOneWork } from "../work-budget.ts";
import { isWholeSchema, memberReadings, type Reading } from "./definition-reader.ts";
import { readOutputSchema } from "./schema-masking.ts";
import { toValidator, type Validator } from "./validator.ts";

const definitions = new WeakMap<JsonObject, ParameterDefinition>();

/**
 * Says where a value differs from the schema of an action's result; returns undefined if it matches. The text holds no part of what the
 * schema calls secret.
 *
 * @param name path of the value, as the text names it
 * @param schema a JSON schema, or definitions of the members of an object, beside which the object may have others
 */
export function findMismatch(name: string, value: JsonValue, schema: JsonObject): string | undefined {
	let definition = definitions.get(schema);
	if (definition === undefined) {
		definition = (isWholeSchema(schema) ? schema : { type: "object", properties: schema }) as ParameterDefinition;
		definitions.set(schema, definition);
	}
	const validator = compile(name, definition);
	try {
		if (validator === undefined || asOneWork(() => validator.isValid(value))) return undefined;
		const [error] = validator.errors;
		return error === undefined ? `"${name}" is not what the schema allows` : describe(name, error, readOutputSchema(schema));
	} catch (error) {
		return `"${name}" cannot be checked: ${toErrorMessage(error)}`;
	}
}

/** Returns undefined for a schema that is no schema: nothing like it is registered, and one that was stored earlier must not fail what runs. */
function compile(name: string, definition: ParameterDefinition): Validator | undefined {
	try {
		return toValidator(name, definition);
	} catch (error) {
		if (isSvcError(error, "SVC_INVALID")) return undefined;
		throw error;
	}
}

function describe(name: string, error: ErrorObject, reading: Reading): string {
	let path = name;
	let current: Reading | undefined = reading;
	for (const part of error.instancePath.split("/").slice(1)) {
		if (current !== undefined && (current.isSecret || (current.holdsSecret && current.alternatives.length > 0))) break;
		const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
		path += `.${key.slice(0, 100)}`;
		current = current === undefined ? undefined : partOf(current, key);
	}
	// A message about the inside of a secret could contain a part of it, such as the name of a member.
	if (current?.holdsSecret && (current.isSecret || current.alternatives.length > 0)) return `"${path}" is not what the schema allows`;
	const { allowedValues, additionalProperty, type } = error.params as {
		readonly allowedValues?: readonly unknown[];
		readonly additionalProperty?: string;
		readonly type?: string | readonly string[];
	};
	if (type !== undefined) return `"${path}" must be ${[type].flat().join(" or ")}`;
	if (allowedValues !== undefined) return `"${path}" must be one of ${allowedValues.map((allowed) => stringifyJson(allowed)).join(", ")}`;
	if (additionalProperty !== undefined) return `"${path}" must not have the additional property "${additionalProperty.slice(0, 100)}"`;
	return `"${path}" ${error.message ?? "is not valid"}`;
}

/** Returns what the definition says of a part; where several say something of it, that one which holds a secret. */
function partOf(reading: Reading, key: string): Reading | undefined {
	const { elements, otherElements } = reading;
	const found = memberReadings(reading, key) ?? [];
	const element = elements === undefined || "isSecret" in elements ? elements : (elements[Number(key)] ?? otherElements);
	const all = element === undefined ? found : [...found, element];
	return all.find(({ isSecret }) => isSecret) ?? all.find(({ holdsSecret }) => holdsSecret) ?? all[0];
}
