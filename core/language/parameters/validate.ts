import type { ErrorObject } from "ajv";
import { type JsonValue, type ParameterDefinition, stringifyJson, toErrorMessage } from "../../contract/index.ts";
import { asOneWork } from "../work-budget.ts";
import { isPlainDefinition } from "./json-schema.ts";
import { invalidParameter } from "./parameter-errors.ts";
import { holdsSecret } from "./schema-masking.ts";
import { toValidator, type Validator } from "./validator.ts";

/** Refuse a value, cast before, that its definition does not allow. `SVC_INVALID` names the parameter and what is allowed. */
export function validateParameter(name: string, value: JsonValue, definition: ParameterDefinition): void {
	assertEnum(name, value, definition);
	if (isPlainDefinition(definition)) {
		if (!hasType(value, definition)) throw invalidParameter(name, `parameter "${name}" must be of type ${definition.type}`);
		return;
	}
	const validator = toValidator(name, definition);
	if (isValid(name, validator, value)) return;
	// What is wrong inside a secret may hold a part of it, such as the name of a member.
	throw invalidParameter(name, definition.secret === true ? notAllowed(name) : describe(name, definition, validator.errors));
}

/** Refuse a definition that no value could be checked by. `SVC_INVALID` says what is wrong with it. */
export function assertDefinition(name: string, definition: ParameterDefinition): void {
	if (!isPlainDefinition(definition)) toValidator(name, definition);
}

function isValid(name: string, validator: Validator, value: JsonValue): boolean {
	try {
		return asOneWork(() => validator.isValid(value));
	} catch (error) {
		throw invalidParameter(name, `parameter "${name}" cannot be checked: ${toErrorMessage(error)}`, error);
	}
}

function assertEnum(name: string, value: JsonValue, definition: ParameterDefinition): void {
	const { enum: allowed } = definition;
	if (allowed === undefined) return;
	const text = stringifyJson(value);
	if (allowed.some((candidate) => candidate === value || stringifyJson(candidate) === text)) return;
	throw invalidParameter(name, toChoice(name, name, definition, allowed));
}

/** What is allowed, unless that is a secret itself. */
function toChoice(name: string, path: string, definition: ParameterDefinition, allowed: readonly unknown[]): string {
	if (holdsSecret(definition)) return notAllowed(name);
	return `parameter "${path}" must be one of ${allowed.map((value) => stringifyJson(value)).join(", ")}`;
}

function notAllowed(name: string): string {
	return `parameter "${name}" is not what its definition allows`;
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
	const error = findTellingError(errors);
	if (error === undefined) return `parameter "${name}" is not valid`;
	const path = name + error.instancePath.replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
	const { allowedValues, additionalProperty } = error.params as { allowedValues?: unknown[]; additionalProperty?: string };
	if (allowedValues !== undefined) return toChoice(name, path, definition, allowedValues);
	if (additionalProperty !== undefined) return `parameter "${path}" must not have the additional property "${additionalProperty}"`;
	if (error.keyword === "not") return `parameter "${path}" must not be ${toRefused(definition, error.schemaPath)}`;
	return `parameter "${path}" ${describeError(error, definition)}`;
}

/** What a definition says of what it refuses by `not`, which is at a path such as `#/items/not`. */
function toRefused(definition: ParameterDefinition, schemaPath: string): string {
	const { description } = (schemaAt(definition, schemaPath) ?? {}) as { readonly description?: unknown };
	return typeof description === "string" ? description : "what its definition refuses";
}

/**
 * Returns the error that says most about a value, of those that a validator has found; undefined if there are none. If the value fits none of
 * several alternatives, that is the error of the alternative whose type the value has, or else one that names the types of all of them.
 */
function findTellingError(errors: readonly ErrorObject[]): ErrorObject | undefined {
	const last = errors.at(-1);
	if (last === undefined || !isOfAlternatives(last)) return errors[0];
	const inner = errors.filter((error) => !isOfAlternatives(error) && error.instancePath.startsWith(last.instancePath));
	const isTypeOfValue = (error: ErrorObject) => error.keyword === "type" && error.instancePath === last.instancePath;
	const fitting = inner.filter((error) => !isTypeOfValue(error));
	if (fitting.length > 0) return fitting.reduce((best, error) => (error.instancePath.length > best.instancePath.length ? error : best));
	const types = [...new Set(inner.filter(isTypeOfValue).flatMap(typesOf))];
	return types.length === 0 ? last : { ...last, keyword: "type", params: { type: types } };
}

/** Describes what is allowed, such as `must be from 0 to 59`. `schema` is what the validator was made of. */
function describeError(error: ErrorObject, schema: unknown): string {
	if (error.keyword === "type") return `must be ${typesOf(error).join(" or ")}`;
	if (error.keyword === "minimum" || error.keyword === "maximum") {
		const { minimum, maximum } = (schemaAt(schema, parentOf(error.schemaPath)) ?? {}) as { minimum?: unknown; maximum?: unknown };
		if (typeof minimum === "number" && typeof maximum === "number") return `must be from ${minimum} to ${maximum}`;
	}
	return error.message ?? "is not valid";
}

/** Returns the part of a schema at a path such as `#/items/not`; undefined if there is none. */
function schemaAt(schema: unknown, schemaPath: string): unknown {
	let part: unknown = schema;
	for (const name of schemaPath.split("/").slice(1)) {
		const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
		part = (part as Readonly<Record<string, unknown>> | undefined)?.[key];
	}
	return part;
}

function isOfAlternatives({ keyword }: ErrorObject): boolean {
	return keyword === "anyOf" || keyword === "oneOf";
}

function typesOf(error: ErrorObject): readonly string[] {
	return [error.params["type"] as string | readonly string[]].flat();
}

function parentOf(schemaPath: string): string {
	return schemaPath.slice(0, schemaPath.lastIndexOf("/"));
}
