import type { JsonValue, ParameterDefinition, ParameterSchema } from "../../contract/index.ts";
import { toErrorMessage } from "../../contract/index.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { templateProblem } from "./parameter-errors.ts";
import type { Source } from "./rendering.ts";
import { toValueTemplate } from "./value-template.ts";

/** What can be known about the parameters of an action before any are given. */
export interface Plan {
	readonly schema: ParameterSchema;
	readonly names: readonly string[];
	/** Defaults that are not null. */
	readonly defaults: ReadonlyMap<string, Source>;
	/** Names of those among them that hold templates. */
	readonly templated: readonly string[];
}

const plans = new WeakMap<ParameterSchema, WeakMap<ParameterSchema, Plan>>();

/** The plan for a pair of schemas, made once as long as the same objects are given. */
export function toPlan(runnerSchema: ParameterSchema, actionSchema: ParameterSchema): Plan {
	let byAction = plans.get(runnerSchema);
	if (byAction === undefined) {
		byAction = new WeakMap();
		plans.set(runnerSchema, byAction);
	}
	let plan = byAction.get(actionSchema);
	if (plan === undefined) {
		plan = makePlan(mergeSchemas(runnerSchema, actionSchema));
		byAction.set(actionSchema, plan);
	}
	return plan;
}

function makePlan(schema: ParameterSchema): Plan {
	const names = Object.keys(schema);
	const defaults = new Map<string, Source>();
	const templated: string[] = [];
	for (const name of names) {
		const value = (schema[name] as ParameterDefinition).default ?? null;
		if (value === null) continue;
		const template = compileDefault(name, value);
		defaults.set(name, { value, isRendered: template !== undefined, template });
		if (template !== undefined) templated.push(name);
	}
	return { schema, names, defaults, templated };
}

function compileDefault(name: string, value: JsonValue) {
	try {
		return toValueTemplate(value);
	} catch (error) {
		throw templateProblem(name, `Failed to render parameter "${name}": ${toErrorMessage(error)}`, error);
	}
}
