import { type JsonObject, type ParameterDefinition, type ParameterDefinitions, SvcError } from "../../contract/index.ts";
import { quoteNames } from "./parameter-errors.ts";

/**
 * Refuses unknown, immutable and missing parameters with `SVC_INVALID`. Runs before rendering, because its messages are clearer than the
 * failure of a template that uses a missing parameter.
 */
export function checkGivenParameters(schema: ParameterDefinitions, values: JsonObject): void {
	const declaredNames = Object.keys(schema);
	const names = Object.keys(values);
	const unknownNames = declaredNames.length === 0 ? [] : names.filter((name) => !Object.hasOwn(schema, name));
	if (unknownNames.length > 0) {
		throw new SvcError(
			"SVC_INVALID",
			`additional properties are not allowed: parameter ${quoteNames(unknownNames)} is unknown; allowed are ${quoteNames(declaredNames)}`,
		);
	}
	const immutableNames = names.filter((name) => Object.hasOwn(schema, name) && schema[name]?.immutable === true);
	if (immutableNames.length > 0) throw new SvcError("SVC_INVALID", `immutable parameters cannot be set: ${quoteNames(immutableNames)}`);
	for (const name of declaredNames) checkRequired(name, schema[name] as ParameterDefinition, values);
}

function checkRequired(name: string, definition: ParameterDefinition, values: JsonObject): void {
	if (definition.required !== true || definition.type === "null") return;
	const isGiven = Object.hasOwn(values, name);
	if (isGiven && values[name] === null) throw new SvcError("SVC_INVALID", `parameter "${name}" is required and must not be null`);
	if (!isGiven && (definition.default ?? null) === null) {
		throw new SvcError("SVC_INVALID", `parameter "${name}" is a required property and was not given`);
	}
}
