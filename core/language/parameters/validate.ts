import type { ErrorObject } from "ajv";
import { type JsonValue, type ParameterDefinition, stringifyJson, toErrorMessage } from "../../contract/index.ts";
import { withWorkBudget } from "../work-budget.ts";
import { isPlainDefinition } from "./json-schema.ts";
import { toParameterError } from "./parameter-errors.ts";
import { holdsSecret } from "./schema-masking.ts";
import { toValidator, type Validator } from "./validator.ts";

/** Refuses a cast value that its definition does not allow. Throws `SVC_INVALID`, which names the parameter and the allowed values. */
export function validateParameter(name: string, value: JsonValue, definition: ParameterDefinition): void {
	assertEnum(name, value, definition);
	if (isPlainDefinition(definition)) {
		if (!hasType(value, definition)) throw toParameterError(name, `parameter "${name}" must be of type ${definition.type}`);
		return;
	}
	const validator = toValidator(name, definition);
	if (isValid(name, validator, value)) return;
	// A message about the inside of a secret may reveal part of that secret, such as the name of a member.
	throw toParameterError(name, definition.secret === true ? notAllowedMessage(name) : describe(name, definition, validator.errors));
}

/** Refuses a definition that cannot be compiled. Throws `SVC_INVALID`, whose message names the problem. */
export function assertDefinition(name: string, definition: ParameterDefinition): void {
	if (!isPlainDefinition(definition)) toValidator(name, definition);
}

function isValid(name: string, validator: Validator, value: JsonValue): boolean {
	try {
		return withWorkBudget(() => validator.isValid(value));
	} catch (error) {
		throw toParameterError(name, `parameter "${name}" cannot be checked: ${toErrorMessage(error)}`, error);
	}
}

function assertEnum(name: string, value: JsonValue, definition: ParameterDefinition): void {
	const { enum: allowed } = definition;
	if (allowed === undefined) return;
	const text = stringifyJson(value);
	if (allowed.some((candidate) => candidate === value || stringifyJson(candidate) === text)) return;
	throw toParameterError(name, choiceMessage(name, name, definition, allowed));
}

/** Returns a message that lists the allowed values, unless the value is secret. */
function choiceMessage(name: string, path: string, definition: ParameterDefinition, allowed: readonly unknown[]): string {
	if (holdsSecret(definition)) return notAllowedMessage(name);
	return `parameter "${path}" must be one of ${allowed.map((value) => stringifyJson(value)).join(", ")}`;
}

function notAllowedMessage(name: string): string {
	return `parameter "${name}" does not match its definition`;
}

function hasType(value: JsonValue, { type }: ParameterDefinition): boolean {
	switch (type) {
		case undefined:
			return true;
		case "integer":
			return Number.isInteger(value) || typeof value === "bigint";
		case "number":
			return typeof value === "number" || typeof value === "bigint";
		case "array":
			return Array.isArray(value);
		case "object":
			return typeof value === "object" && value !== null && !Array.isArray(value);
		case "null":
			return value === null;
		default:
			return typeof value === type;
	}
}

function describe(name: string, definition: ParameterDefinition, errors: readonly ErrorObject[]): string {
	const error = findMostInformativeError(errors);
	if (error === undefined) return `parameter "${name}" is not valid`;
	const path = name + error.instancePath.replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
	const { allowedValues, additionalProperty } = error.params as { allowedValues?: unknown[]; additionalProperty?: string };
	if (allowedValues !== undefined) return choiceMessage(name, path, definition, allowedValues);
	if (additionalProperty !== undefined) return `parameter "${path}" must not have the additional property "${additionalProperty}"`;
	if (error.keyword === "not") return `parameter "${path}" must not be ${describeRefused(definition, error.schemaPath)}`;
	return `parameter "${path}" ${describeError(error, definition)}`;
}

/** Returns the description of a subschema under `not`, which is at a path such as `#/items/not`. */
function describeRefused(definition: ParameterDefinition, schemaPath: string): string {
	const { description } = (schemaAt(definition, schemaPath) ?? {}) as { readonly description?: unknown };
	return typeof description === "string" ? description : "a value that its definition excludes";
}

/**
 * Returns the most informative error of a validator; undefined if there are none. If the value fits none of several alternatives, returns
 * the innermost error of the alternative whose type matches. If no type matches, returns an error that names the types of all.
 */
function findMostInformativeError(errors: readonly ErrorObject[]): ErrorObject | undefined {
	const lastError = errors.at(-1);
	if (lastError === undefined || !isAlternativesError(lastError)) return errors[0];
	const innerErrors = errors.filter((error) => !isAlternativesError(error) && error.instancePath.startsWith(lastError.instancePath));
	const isTypeOfValue = (error: ErrorObject) => error.keyword === "type" && error.instancePath === lastError.instancePath;
	const errorsOfMatchingType = innerErrors.filter((error) => !isTypeOfValue(error));
	if (errorsOfMatchingType.length > 0)
		return errorsOfMatchingType.reduce((best, error) => (error.instancePath.length > best.instancePath.length ? error : best));
	const types = [...new Set(innerErrors.filter(isTypeOfValue).flatMap(typesOf))];
	return types.length === 0 ? lastError : { ...lastError, keyword: "type", params: { type: types } };
}

/**
 * Describes the allowed values, as in `must be from 0 to 59`.
 *
 * @param schema the schema from which the validator was compiled
 */
function describeError(error: ErrorObject, schema: unknown): string {
	if (error.keyword === "type") return `must be ${typesOf(error).join(" or ")}`;
	if (error.keyword === "minimum" || error.keyword === "maximum") {
		const { minimum, maximum } = (schemaAt(schema, parentOf(error.schemaPath)) ?? {}) as { minimum?: unknown; maximum?: unknown };
		if (typeof minimum === "number" && typeof maximum === "number") return `must be from ${minimum} to ${maximum}`;
	}
	return error.message ?? "is not valid";
}

/** Returns the part of a schema at a path such as `#/items/not`; undefined if the path does not exist. */
function schemaAt(schema: unknown, schemaPath: string): unknown {
	let part: unknown = schema;
	for (const name of schemaPath.split("/").slice(1)) {
		const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
		part = (part as Readonly<Record<string, unknown>> | undefined)?.[key];
	}
	return part;
}

function isAlternativesError({ keyword }: ErrorObject): boolean {
	return keyword === "anyOf" || keyword === "oneOf";
}

function typesOf(error: ErrorObject): readonly string[] {
	return [error.params["type"] as string | readonly string[]].flat();
}

function parentOf(schemaPath: string): string {
	return schemaPath.slice(0, schemaPath.lastIndexOf("/"));
}
