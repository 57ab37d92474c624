import {
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	type ParameterDefinitions,
	SvcError,
} from "../../core/contract/index.ts";
import { assertNoNul } from "./no-nul.ts";
import { createScriptArguments } from "./script-arguments.ts";

export interface SecretArgumentOptions {
	/**
	 * Method of passing secret parameters to a script. `environment`: as variables `SVC_ARG_<NAME>`, which only its own user can read.
	 * `command_line`: as arguments like all others, which every user of the machine can read. Default `environment`.
	 */
	readonly secret_arguments?: "environment" | "command_line";
}

/** Arguments and variables of a script from its action's parameters. */
export interface ScriptInput {
	readonly args: readonly string[];
	readonly environment: Readonly<Record<string, string>>;
}

/** The members of a run from which the input of its script is created. */
interface ScriptRun {
	readonly actionParameters: JsonObject;
	readonly actionSchema: ParameterDefinitions;
	readonly runnerParameters: { readonly kwarg_op: string };
}

/** Returns the parameters as arguments; secret ones are passed as the option requires. */
export function createScriptInput(run: ScriptRun, { secret_arguments = "environment" }: SecretArgumentOptions): ScriptInput {
	const { actionParameters, actionSchema, runnerParameters } = run;
	const { values, environment } =
		secret_arguments === "command_line"
			? { values: actionParameters, environment: {} }
			: separateSecretArguments(actionParameters, actionSchema);
	const args = createScriptArguments(values, actionSchema, runnerParameters.kwarg_op);
	for (const text of [...args, ...Object.values(environment)]) assertNoNul("arguments", text);
	return { args, environment };
}

export interface SeparatedArguments {
	/** Values for the command line; secrets are null. */
	readonly values: JsonObject;
	/**
	 * Secrets by environment variable, `SVC_ARG_<NAME>`. A value is formatted as in an argument; the value true of a named parameter becomes
	 * `True`.
	 */
	readonly environment: Readonly<Record<string, string>>;
}

/**
 * Separates the secrets from a script's arguments. Every user of the machine can read a command line, but only the process's own user its
 * environment. A secret for which no argument would be created has no variable either.
 */
export function separateSecretArguments(values: JsonObject, schema: ParameterDefinitions): SeparatedArguments {
	const shown: Record<string, JsonValue> = {};
	const environment: Record<string, string> = {};
	for (const [name, value] of Object.entries(values)) {
		const definition = Object.hasOwn(schema, name) ? schema[name] : undefined;
		if (definition === undefined || !holdsSecret(definition)) {
			shown[name] = value;
			continue;
		}
		shown[name] = null;
		const text = toText(value, definition);
		if (text === undefined) continue;
		const variable = toVariable(name);
		if (Object.hasOwn(environment, variable)) {
			throw new SvcError("SVC_INVALID", `parameter "${name}": another secret parameter also has the variable ${variable}`);
		}
		environment[variable] = text;
	}
	return { values: shown, environment };
}

/** Returns the name of the variable for a parameter. */
function toVariable(name: string): string {
	return `SVC_ARG_${name.toUpperCase().replace(/[^A-Z0-9_]/g, "_")}`;
}

/** Returns the value of the argument; undefined if a named argument would be omitted. */
function toText(value: JsonValue, definition: ParameterDefinition): string | undefined {
	if (definition.position === undefined && value === true) return "True";
	const [argument] = createScriptArguments({ value }, { value: definition }, "");
	return definition.position === undefined ? argument?.slice("value=".length) : argument;
}

/** Members of a definition that contain values instead of definitions. */
const data: ReadonlySet<string> = new Set(["default", "enum", "const", "examples"]);

/** Returns true if a value of this definition is a secret or contains one. */
function holdsSecret(definition: unknown): boolean {
	if (typeof definition !== "object" || definition === null) return false;
	if ("secret" in definition && definition.secret === true) return true;
	return Object.entries(definition).some(([name, inner]) => !data.has(name) && holdsSecret(inner));
}
