import type { ParameterDefinition, ParameterSchema } from "../../contract/index.ts";

/**
 * The parameter definitions in force for an action: the runner's, overlaid attribute by attribute with the action's of the same
 * name, then the action's own ones. `immutable` and `secret` stay true once either side says so.
 */
export function mergeSchemas(runnerParameters: ParameterSchema, actionParameters: ParameterSchema): ParameterSchema {
	const entries: [string, ParameterDefinition][] = [];
	for (const [name, definition] of Object.entries(runnerParameters)) {
		const override = Object.hasOwn(actionParameters, name) ? actionParameters[name] : undefined;
		entries.push([name, override === undefined ? definition : mergeDefinitions(definition, override)]);
	}
	for (const [name, definition] of Object.entries(actionParameters)) {
		if (!Object.hasOwn(runnerParameters, name)) entries.push([name, definition]);
	}
	return Object.fromEntries(entries);
}

function mergeDefinitions(definition: ParameterDefinition, override: ParameterDefinition): ParameterDefinition {
	const merged: { -readonly [K in keyof ParameterDefinition]: ParameterDefinition[K] } = { ...definition, ...override };
	if (definition.immutable === true) merged.immutable = true;
	if (definition.secret === true) merged.secret = true;
	return merged;
}
