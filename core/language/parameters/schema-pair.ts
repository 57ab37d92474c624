import { type JsonValue, type ParameterDefinition, type ParameterDefinitions, toErrorMessage } from "../../contract/index.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { toTemplateError } from "./parameter-errors.ts";
import type { ParameterSource } from "./rendering.ts";
import { toValueTemplate } from "./value-template.ts";

/** Data about the parameters of an action that does not depend on the values of an execution. */
export interface SchemaPair {
	/** Merged schema of the runner and the action. */
	readonly schema: ParameterDefinitions;
	readonly names: readonly string[];
	/** Defaults that are not null. */
	readonly defaults: ReadonlyMap<string, ParameterSource>;
	/** Names of parameters whose default contains templates. */
	readonly templatedNames: readonly string[];
}

const schemaPairCache = new WeakMap<ParameterDefinitions, WeakMap<ParameterDefinitions, SchemaPair>>();

/**
 * Returns the data for a pair of schemas. It is cached by the identity of both objects. Throws `SVC_INVALID` if a default cannot be read as
 * a template.
 */
export function toSchemaPair(runnerSchema: ParameterDefinitions, actionSchema: ParameterDefinitions): SchemaPair {
	let byAction = schemaPairCache.get(runnerSchema);
	if (byAction === undefined) {
		byAction = new WeakMap();
		schemaPairCache.set(runnerSchema, byAction);
	}
	let schemaPair = byAction.get(actionSchema);
	if (schemaPair === undefined) {
		schemaPair = createSchemaPair(mergeSchemas(runnerSchema, actionSchema));
		byAction.set(actionSchema, schemaPair);
	}
	return schemaPair;
}

function createSchemaPair(schema: ParameterDefinitions): SchemaPair {
	const names = Object.keys(schema);
	const defaults = new Map<string, ParameterSource>();
	const templated: string[] = [];
	for (const name of names) {
		const value = (schema[name] as ParameterDefinition).default ?? null;
		if (value === null) continue;
		const template = compileDefault(name, value);
		defaults.set(name, { value, isRendered: template !== undefined, template });
		if (template !== undefined) templated.push(name);
	}
	return { schema, names, defaults, templatedNames: templated };
}

function compileDefault(name: string, value: JsonValue) {
	try {
		return toValueTemplate(value);
	} catch (error) {
		throw toTemplateError(name, `Failed to render parameter "${name}": ${toErrorMessage(error)}`, error);
	}
}
