import { isDeepStrictEqual } from "node:util";
import {
	isJsonObject,
	isRefusedVariable,
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	type ParameterDefinitions,
} from "../../contract/index.ts";
import { quoteNames, toParameterError } from "./parameter-errors.ts";

/** Runner parameter that becomes the environment of a process. */
const environmentParameter = "env";

/** Parameter values of an execution: those that the caller sent, and those stored with the execution that it repeats. */
export interface SubmittedValues {
	readonly callerValues: JsonObject;
	readonly earlierValues: JsonObject;
}

/**
 * Refuses environment variables that would turn the right to start one action into the right to run any code (see `isRefusedVariable`). The
 * action allows a variable by naming it in the `properties` of its `env` definition. A variable that keeps its default is allowed too.
 * Throws `SVC_INVALID` if a refused variable is set.
 *
 * @param stored the parameters to store, rendered and cast
 * @param schema the merged schema of the action and its runner
 */
export function assertCallerEnvironment(
	stored: JsonObject,
	{ callerValues, earlierValues }: SubmittedValues,
	{ schema, runnerSchema }: { readonly schema: ParameterDefinitions; readonly runnerSchema: ParameterDefinitions },
): void {
	const definition = schema[environmentParameter];
	if (definition === undefined || !Object.hasOwn(runnerSchema, environmentParameter)) return;
	const isGiven = Object.hasOwn(callerValues, environmentParameter);
	if (!isGiven && !Object.hasOwn(earlierValues, environmentParameter)) return;
	const value = stored[environmentParameter];
	if (!isJsonObject(value)) return;
	// The values of an earlier execution may hold the rendered templates of a default, so only the names are compared for them.
	const matchesDefault = isGiven ? isEqualToDefault : hasDefault;
	const refusedVariables = Object.entries(value).filter(
		([name, text]) => isRefused(name, text) && !isDeclared(name, definition) && !matchesDefault(name, text, definition),
	);
	if (refusedVariables.length > 0) throw toRefusedVariablesError(refusedVariables.map(([name]) => name));
}

/**
 * Returns true for a variable that can make a process run other code. Old shells import a function from any variable whose value begins
 * with `()`.
 */
function isRefused(name: string, value: JsonValue): boolean {
	return isRefusedVariable(name) || (typeof value === "string" && value.startsWith("()"));
}

function isDeclared(name: string, { properties }: ParameterDefinition): boolean {
	return properties !== undefined && Object.hasOwn(properties, name);
}

function hasDefault(name: string, _value: JsonValue, { default: defaultValue }: ParameterDefinition): boolean {
	return isJsonObject(defaultValue) && Object.hasOwn(defaultValue, name);
}

function isEqualToDefault(name: string, value: JsonValue, definition: ParameterDefinition): boolean {
	return hasDefault(name, value, definition) && isDeepStrictEqual((definition.default as JsonObject)[name], value);
}

function toRefusedVariablesError(names: readonly string[]): Error {
	return toParameterError(
		environmentParameter,
		`parameter "${environmentParameter}": the caller may not set ${quoteNames(names)}, which can make the action run other code; its definition may allow a name in the properties of "${environmentParameter}"`,
	);
}
