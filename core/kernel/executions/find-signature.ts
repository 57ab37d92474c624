import type { ActionEntity, ActionSignature, RunnerTypeEntity } from "../../contract/index.ts";
import { mergeSchemas } from "../../language/parameters/merge-schemas.ts";
import { maskDefaults } from "../../secrets/default-masking.ts";
import type { Catalog } from "./action-catalog.ts";

/** What must be known of an action that a definition names; undefined when there is none. Without secret defaults, as a finding may quote what a parameter allows. */
export async function findSignature(catalog: Pick<Catalog, "resolve">, ref: string): Promise<ActionSignature | undefined> {
	const found = await catalog.resolve(ref);
	if (found === undefined) return undefined;
	return toSignature(found.action, found.runnerType);
}

export function toSignature(
	{ ref, enabled, parameters }: Pick<ActionEntity, "ref" | "enabled" | "parameters">,
	{ runner_parameters }: Pick<RunnerTypeEntity, "runner_parameters">,
): ActionSignature {
	return { ref, enabled, parameters: maskDefaults(mergeSchemas(runner_parameters, parameters)) };
}
