import type { ParameterDefinition, ParameterDefinitions } from "../../contract/index.ts";

/**
 * Returns the effective parameter definitions of an action: the runner's, each overridden by the attributes that the action sets, then the
 * action's own. `immutable` and `secret` stay true if either side sets them. A reserved runner parameter that the action does not define
 * becomes immutable, unless the caller can choose what runs anyway.
 */
export function mergeSchemas(runnerParameters: ParameterDefinitions, actionParameters: ParameterDefinitions): ParameterDefinitions {
	const entries: [string, ParameterDefinition][] = [];
	const isCodeFixed = fixesExecutedCode(runnerParameters, actionParameters);
	for (const [name, definition] of Object.entries(runnerParameters)) {
		const override = Object.hasOwn(actionParameters, name) ? actionParameters[name] : undefined;
		if (override !== undefined) entries.push([name, mergeDefinitions(definition, override)]);
		else entries.push([name, isCodeFixed && definition.reserved === true ? makeImmutable(definition) : definition]);
	}
	for (const [name, definition] of Object.entries(actionParameters)) {
		if (!Object.hasOwn(runnerParameters, name)) entries.push([name, definition]);
	}
	return limitByReserved(Object.fromEntries(entries));
}

/**
 * Applies `reservedBy.schema` to a parameter if the caller may not set the reserved parameter. Otherwise the caller could choose the
 * reserved value through it, such as the user in `user@host`.
 */
function limitByReserved(mergedSchema: Record<string, ParameterDefinition>): ParameterDefinitions {
	for (const [name, { reservedBy, ...definition }] of Object.entries(mergedSchema)) {
		if (reservedBy === undefined || mergedSchema[reservedBy.parameter]?.immutable !== true) continue;
		mergedSchema[name] = { ...definition, ...reservedBy.schema };
	}
	return mergedSchema;
}

/**
 * Returns true if the caller cannot set any parameter that opens the reserved ones. A command in a container does not open them, because it
 * cannot leave the container. Only a runner whose command can do everything that its reserved parameters can do sets `opensReserved`.
 */
function fixesExecutedCode(runnerParameters: ParameterDefinitions, actionParameters: ParameterDefinitions): boolean {
	return !Object.entries(runnerParameters).some(([name, inherited]) => {
		const override = Object.hasOwn(actionParameters, name) ? actionParameters[name] : undefined;
		return inherited.opensReserved === true && inherited.immutable !== true && override?.immutable !== true;
	});
}

function makeImmutable(definition: ParameterDefinition): ParameterDefinition {
	return { ...definition, default: definition.default ?? null, immutable: true };
}

function mergeDefinitions(definition: ParameterDefinition, override: ParameterDefinition): ParameterDefinition {
	const mergedDefinition: { -readonly [K in keyof ParameterDefinition]: ParameterDefinition[K] } = { ...definition, ...override };
	if (definition.immutable === true) mergedDefinition.immutable = true;
	if (definition.secret === true) mergedDefinition.secret = true;
	return mergedDefinition;
}
