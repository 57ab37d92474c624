import { isSvcError, type JsonValue, type ParameterDefinition, type ParameterSchema } from "../../contract/index.ts";
import { TemplateError, TemplateSyntaxError } from "../templates/errors.ts";
import { cast } from "./cast.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { withNestedDefaults } from "./nested-defaults.ts";
import { validateParameter } from "./validate.ts";
import { toValueTemplate } from "./value-template.ts";

/**
 * Returns one message for each default that its definition does not allow: a run without the parameter would always fail. Templates are not
 * checked, as only a run knows what they yield.
 *
 * @param runnerParameters schema of the action's runner
 */
export function findDefaultProblems(parameters: ParameterSchema, runnerParameters: ParameterSchema = {}): readonly string[] {
	const merged = mergeSchemas(runnerParameters, parameters);
	return Object.entries(parameters).flatMap(([name, own]) => {
		const definition = merged[name];
		return definition === undefined ? [] : [...checkDefault(name, own.default, definition), ...checkMembers(name, definition)];
	});
}

function checkDefault(name: string, value: JsonValue | undefined, definition: ParameterDefinition): readonly string[] {
	if (value === undefined || value === null) return [];
	try {
		if (toValueTemplate(value) !== undefined) return [];
		const plain = cast(name, value, definition, { rendered: false });
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

/** Defaults of members, which are filled in without a cast. */
function checkMembers(name: string, { properties = {} }: ParameterDefinition): readonly string[] {
	return Object.entries(properties).flatMap(([member, definition]) => {
		const path = `${name}.properties.${member}`;
		const inner = checkMembers(path, definition);
		if (definition.default === undefined || definition.default === null) return inner;
		try {
			validateParameter(path, definition.default, definition);
			return inner;
		} catch (error) {
			if (!isSvcError(error, "SVC_INVALID")) throw error;
			return [`default of ${error.message}${quoteHint(definition.default, definition)}`, ...inner];
		}
	});
}

/** YAML reads `1.10` and `yes` without quotes as a number and a boolean. */
function quoteHint(value: JsonValue, { type }: ParameterDefinition): string {
	return type === "string" && (typeof value === "number" || typeof value === "boolean") ? "; write it in quotes" : "";
}
