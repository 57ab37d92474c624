import type { OptionDefinition, OptionSections } from "../../contract/index.ts";
import { findClosest } from "./did-you-mean.ts";
import { findValueProblem } from "./option-value.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the service, its command client and its actions that override no option. */
export const otherVariables: readonly string[] = [
	"SVC_DATA_DIR",
	"SVC_ADMIN_PASSWORD",
	"SVC_API_KEY",
	"SVC_API_URL",
	"SVC_API_VERSION",
	"SVC_AUTH_BACKEND",
	"SVC_AUTH_BACKEND_KWARGS",
	"SVC_AUTH_TOKEN",
	"SVC_AUTH_URL",
	"SVC_BASE_URL",
	"SVC_CACERT",
	"SVC_CLI_SKIP_CONFIG",
	"SVC_COLORIZE",
	"SVC_CONFIG_FILE",
	"SVC_STREAM_URL",
];

/** Returns true if the service sets variables with such a name for runs. */
export function isRunVariable(name: string): boolean {
	return name.startsWith("SVC_ACTION_");
}

/** Variable names of options whose usual name is already used by the command client. */
const renamed: Readonly<Record<string, string>> = { "api.key": "SVC_API_KEY_FILE" };

/** Returns the name of the variable that overrides an option. */
export function toVariableName(section: string, option: string): string {
	return renamed[`${section}.${option}`] ?? `SVC_${section}_${option}`.toUpperCase();
}

/** Returns the names of the variables that override options of these sections. */
export function variablesOf(sections: OptionSections): readonly string[] {
	return Object.entries(sections).flatMap(([section, options]) => Object.keys(options).map((option) => toVariableName(section, option)));
}

export type Override = { readonly value: unknown } | { readonly problem: string };

/**
 * Returns the override of an option, or undefined if its variable is not set. An empty variable counts as not set, because compose files
 * set such variables.
 */
export function readOverride(
	environment: Environment,
	section: string,
	option: string,
	definition: OptionDefinition,
): Override | undefined {
	const name = toVariableName(section, option);
	const text = environment[name]?.trim();
	if (text === undefined || text === "") return undefined;
	const value = parseText(definition, text);
	const problem = findValueProblem(definition, value, option);
	return problem === undefined ? { value } : { problem: `environment variable ${name}: ${problem}` };
}

/** Parses the string of a variable. Returns the string unchanged if it does not fit the type, so that the check of the value rejects it. */
function parseText(definition: OptionDefinition, text: string): unknown {
	switch (definition.type) {
		case "boolean":
			if (/^(true|1|yes)$/i.test(text)) return true;
			return /^(false|0|no)$/i.test(text) ? false : text;
		case "integer":
		case "number":
			return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
		case "list":
			return text
				.split(",")
				.map((item) => item.trim())
				.filter((item) => item !== "");
		case "string":
			return text;
	}
}

/**
 * Returns warnings about unknown `SVC_` variables that resemble a known one or begin like those of a section. Values are not shown: they
 * may be secrets.
 */
export function findUnknownVariables(environment: Environment, sections: OptionSections): string[] {
	const known = [...variablesOf(sections), ...otherVariables];
	const prefixes = Object.keys(sections).map((section) => toVariableName(section, ""));
	return Object.keys(environment)
		.filter((name) => name.startsWith("SVC_") && !isRunVariable(name) && !known.includes(name))
		.flatMap((name) => {
			const closest = findClosest(name, known);
			if (closest !== undefined) return [`environment variable ${name} is unknown and has no effect; did you mean ${closest}?`];
			return prefixes.some((prefix) => name.startsWith(prefix)) ? [`environment variable ${name} is unknown and has no effect`] : [];
		});
}
