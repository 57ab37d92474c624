import { isDeepStrictEqual } from "node:util";
import {
	isJsonObject,
	isRefusedVariable,
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	type ParameterSchema,
} from "../../contract/index.ts";
import { invalidParameter } from "./parameter-errors.ts";

/** The runners' parameter that becomes the environment of a process. */
const environment = "env";

/** Values for an execution: what the caller has sent, and what was stored with an earlier execution that it repeats. */
export interface SentValues {
	readonly given: JsonObject;
	readonly plain: JsonObject;
}

/**
 * Refuse variables from a caller by which the right to start one action would become the right to run anything (`isRefusedVariable`).
 * The action's definition allows one by naming it in the `properties` of its `env`; what the default sets may come back as it is.
 *
 * @param stored the parameters as they are to be stored, rendered and cast
 * @param schema of the action and its runner together
 */
export function assertCallerVariables(
	stored: JsonObject,
	{ given, plain }: SentValues,
	{ schema, runnerSchema }: { readonly schema: ParameterSchema; readonly runnerSchema: ParameterSchema },
): void {
	const definition = schema[environment];
	if (definition === undefined || !Object.hasOwn(runnerSchema, environment)) return;
	const isGiven = Object.hasOwn(given, environment);
	if (!isGiven && !Object.hasOwn(plain, environment)) return;
	const value = stored[environment];
	if (!isJsonObject(value)) return;
	// An earlier execution has stored what templates in the default made.
	const isAsDefault = isGiven ? isSameAsDefault : hasDefault;
	const refused = Object.entries(value).filter(
		([name, text]) => isRefused(name, text) && !isNamed(name, definition) && !isAsDefault(name, text, definition),
	);
	if (refused.length > 0) throw problem(refused.map(([name]) => name));
}

/** Old shells take a function from any variable whose text looks like one. */
function isRefused(name: string, value: JsonValue): boolean {
	return isRefusedVariable(name) || (typeof value === "string" && value.startsWith("()"));
}

function isNamed(name: string, { properties }: ParameterDefinition): boolean {
	return properties !== undefined && Object.hasOwn(properties, name);
}

function hasDefault(name: string, _value: JsonValue, { default: own }: ParameterDefinition): boolean {
	return isJsonObject(own) && Object.hasOwn(own, name);
}

function isSameAsDefault(name: string, value: JsonValue, definition: ParameterDefinition): boolean {
	return hasDefault(name, value, definition) && isDeepStrictEqual((definition.default as JsonObject)[name], value);
}

function problem(names: readonly string[]): Error {
	const shown = names.slice(0, 20).map((name) => `"${name.slice(0, 100)}"`);
	const list = shown.join(", ") + (names.length > shown.length ? " and more" : "");
	return invalidParameter(
		environment,
		`parameter "${environment}": the caller may not set ${list}, which can make the action run other code; its definition may allow a name in the properties of "${environment}"`,
	);
}
