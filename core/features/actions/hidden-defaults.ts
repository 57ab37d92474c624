import { isDeepStrictEqual } from "node:util";
import { type ActionEntity, SvcError, stringifyJson } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { mask } from "../../language/parameters/schema-masking.ts";
import type { ActionInput } from "./catalog-api.ts";

interface ActionChange {
	/** What will be stored. */
	readonly fields: Omit<ActionEntity, "id">;
	readonly old: ActionEntity;
	/** Undefined: the program that the engine is part of, which may do everything. */
	readonly principal: Pick<Principal, "isAdmin"> | undefined;
}

/** Members of an action that decide where the defaults of its parameters go. */
const deciding = ["pack", "runner_type", "entry_point", "parameters", "output_schema", "notify"] as const;

/**
 * Refuses with `SVC_INVALID` that a user who is no administrator keeps a hidden default and changes what decides where it goes: another
 * program, template or notification could show it.
 */
export function assertHiddenStay(input: ActionInput, { fields, old, principal }: ActionChange): void {
	if (principal === undefined || principal.isAdmin || !stringifyJson(input.parameters ?? {}).includes(stringifyJson(mask))) return;
	const changed = deciding.find((name) => !isDeepStrictEqual(fields[name], old[name]));
	const named = changed ?? ((input.data_files ?? []).length > 0 ? "data_files" : undefined);
	if (named === undefined) return;
	throw new SvcError("SVC_INVALID", `parameters: "${mask}" keeps a hidden default only while "${named}" stays; give the value itself`);
}
