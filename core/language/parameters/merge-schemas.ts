import type { ParameterDefinition, ParameterSchema } from "../../contract/index.ts";

/**
 * The parameter definitions in force for an action: the runner's, overlaid attribute by attribute with the action's of the same
 * name, then the action's own ones. `immutable` and `secret` stay true once either side says so. What the runner reserves is
 * immutable where the action says nothing of it and fixes what runs.
 */
export function mergeSchemas(runnerParameters: ParameterSchema, actionParameters: ParameterSchema): ParameterSchema {
	const entries: [string, ParameterDefinition][] = [];
	const isFixed = fixesWhatRuns(runnerParameters, actionParameters);
	for (const [name, definition] of Object.entries(runnerParameters)) {
		const override = Object.hasOwn(actionParameters, name) ? actionParameters[name] : undefined;
		if (override !== undefined) entries.push([name, mergeDefinitions(definition, override)]);
		else entries.push([name, isFixed && definition.reserved === true ? close(definition) : definition]);
	}
	for (const [name, definition] of Object.entries(actionParameters)) {
		if (!Object.hasOwn(runnerParameters, name)) entries.push([name, definition]);
	}
	return limitByReserved(Object.fromEntries(entries));
}

/** A value that says what a reserved parameter says is limited where the caller may not set that parameter. */
function limitByReserved(merged: Record<string, ParameterDefinition>): ParameterSchema {
	for (const [name, { reservedBy, ...definition }] of Object.entries(merged)) {
		if (reservedBy === undefined || merged[reservedBy.parameter]?.immutable !== true) continue;
		merged[name] = { ...definition, ...reservedBy.schema };
	}
	return merged;
}

/** A command in a container is no way out of it: only a runner whose command could do all that is reserved says that it opens that. */
function fixesWhatRuns(runnerParameters: ParameterSchema, actionParameters: ParameterSchema): boolean {
	return !Object.entries(runnerParameters).some(([name, inherited]) => {
		const own = Object.hasOwn(actionParameters, name) ? actionParameters[name] : undefined;
		return inherited.opensReserved === true && inherited.immutable !== true && own?.immutable !== true;
	});
}

function close(definition: ParameterDefinition): ParameterDefinition {
	return { ...definition, default: definition.default ?? null, immutable: true };
}

function mergeDefinitions(definition: ParameterDefinition, override: ParameterDefinition): ParameterDefinition {
	const merged: { -readonly [K in keyof ParameterDefinition]: ParameterDefinition[K] } = { ...definition, ...override };
	if (definition.immutable === true) merged.immutable = true;
	if (definition.secret === true) merged.secret = true;
	return merged;
}
