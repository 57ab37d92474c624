import type { ErrorObject } from "ajv";
import {
	isSvcError,
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	stringifyJson,
	toErrorMessage,
} from "../../contract/index.ts";
import { withWorkBudget } from "../work-budget.ts";
import { readOutputSchema } from "./schema-masking.ts";
import { isJsonSchema, memberSecretSchemas, type SecretSchema } from "./secret-schema.ts";
import { toValidator, type Validator } from "./validator.ts";

const definitionCache = new WeakMap<JsonObject, ParameterDefinition>();

/**
 * Returns a message about the first difference between a value and the schema of an action's result; undefined if the value matches. The
 * message contains no part of a value that the schema declares secret.
 *
 * @param name path of the value in the message
 * @param schema JSON schema, or definitions of members of an object that may have further members
 */
export function findResultMismatch(name: string, value: JsonValue, schema: JsonObject): string | undefined {
	let definition = definitionCache.get(schema);
	if (definition === undefined) {
		definition = (isJsonSchema(schema) ? schema : { type: "object", properties: schema }) as ParameterDefinition;
		definitionCache.set(schema, definition);
	}
	const validator = compile(name, definition);
	try {
		if (validator === undefined || withWorkBudget(() => validator.isValid(value))) return undefined;
		const [error] = validator.errors;
		return error === undefined ? `"${name}" does not match the schema` : describe(name, error, readOutputSchema(schema));
	} catch (error) {
		return `"${name}" cannot be checked: ${toErrorMessage(error)}`;
	}
}

/**
 * Compiles a schema. Returns undefined if that is impossible: registration refuses such a schema, but an older stored one must not make
 * runs fail.
 */
function compile(name: string, definition: ParameterDefinition): Validator | undefined {
	try {
		return toValidator(name, definition);
	} catch (error) {
		if (isSvcError(error, "SVC_INVALID")) return undefined;
		throw error;
	}
}

function describe(name: string, error: ErrorObject, secretSchema: SecretSchema): string {
	let path = name;
	let schemaOfPart: SecretSchema | undefined = secretSchema;
	for (const part of error.instancePath.split("/").slice(1)) {
		if (schemaOfPart !== undefined && (schemaOfPart.isSecret || (schemaOfPart.holdsSecret && schemaOfPart.alternatives.length > 0))) break;
		const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
		path += `.${key.slice(0, 100)}`;
		schemaOfPart = schemaOfPart === undefined ? undefined : schemaOf(schemaOfPart, key);
	}
	// A message about the inside of a secret could reveal part of that secret, such as the name of a member.
	if (schemaOfPart?.holdsSecret && (schemaOfPart.isSecret || schemaOfPart.alternatives.length > 0))
		return `"${path}" does not match the schema`;
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

/** Returns the schema of a part of a value. If several schemas describe the part, one that declares a secret is preferred. */
function schemaOf(secretSchema: SecretSchema, key: string): SecretSchema | undefined {
	const { elements, otherElements } = secretSchema;
	const memberSchemas = memberSecretSchemas(secretSchema, key) ?? [];
	const elementSchema = elements === undefined || "isSecret" in elements ? elements : (elements[Number(key)] ?? otherElements);
	const schemas = elementSchema === undefined ? memberSchemas : [...memberSchemas, elementSchema];
	return schemas.find(({ isSecret }) => isSecret) ?? schemas.find(({ holdsSecret }) => holdsSecret) ?? schemas[0];
}
