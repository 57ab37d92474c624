import { isSvcError, type JsonValue, type ParameterDefinition, type ParameterDefinitions } from "../../contract/index.ts";
import { TemplateError, TemplateSyntaxError } from "../templates/errors.ts";
import { cast } from "./cast.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { withNestedDefaults } from "./nested-defaults.ts";
import { validateParameter } from "./validate.ts";
import { toValueTemplate } from "./value-template.ts";

/**
 * Returns one message for each default that its own definition refuses: a run without that parameter would always fail. Templates are not
 * checked, because their results depend on the run.
 *
 * @param runnerParameters schema of the action's runner
 */
export function findDefaultProblems(parameters: ParameterDefinitions, runnerParameters: ParameterDefinitions = {}): readonly string[] {
	const mergedSchema = mergeSchemas(runnerParameters, parameters);
	return Object.entries(parameters).flatMap(([name, ownDefinition]) => {
		const definition = mergedSchema[name];
		return definition === undefined ? [] : [...checkDefault(name, ownDefinition.default, definition), ...checkMembers(name, definition)];
	});
}

function checkDefault(name: string, value: JsonValue | undefined, definition: ParameterDefinition): readonly string[] {
	if (value === undefined || value === null) return [];
	try {
		if (toValueTemplate(value) !== undefined) return [];
		const plain = cast(name, value, definition, { isTemplateOutput: false });
		if (plain !== null) validateParameter(name, withNestedDefaults(plain, definition), definition);
		return [];
	} catch (error) {
		if (error instanceof TemplateError || error instanceof TemplateSyntaxError) {
			return [`default of parameter "${name}" cannot be read as a template: ${error.message}`];
		}
		if (!isSvcError(error, "SVC_INVALID")) throw error;
		return [`default of ${error.message}${quoteHint(value, definition)}`];
	}
}

/** Checks the defaults of members, which are applied without a cast. */
function checkMembers(name: string, { properties = {} }: ParameterDefinition): readonly string[] {
	return Object.entries(properties).flatMap(([member, definition]) => {
		const path = `${name}.properties.${member}`;
		const innerProblems = checkMembers(path, definition);
		if (definition.default === undefined || definition.default === null) return innerProblems;
		try {
			validateParameter(path, definition.default, definition);
			return innerProblems;
		} catch (error) {
			if (!isSvcError(error, "SVC_INVALID")) throw error;
			return [`default of ${error.message}${quoteHint(definition.default, definition)}`, ...innerProblems];
		}
	});
}

/** Returns a hint to quote the value: YAML reads unquoted `1.10` and `yes` as a number and a boolean. */
function quoteHint(value: JsonValue, { type }: ParameterDefinition): string {
	return type === "string" && (typeof value === "number" || typeof value === "boolean") ? "; put it in quotes" : "";
}
