import { type JsonObject, SvcError } from "../../core/contract/index.ts";
import { assertDepth, assertRefNames } from "../../core/feature.ts";
import { checkFormats } from "./alias-formats.ts";
import type { AliasInput } from "./aliases-exports.ts";
import type { ActionAliasEntity } from "./entities.ts";

/** Fields of an alias that its definition determines. */
export type AliasFields = Omit<ActionAliasEntity, "id" | "author" | "scopes">;

const refPattern = /^[a-z0-9_]{1,255}\.[A-Za-z0-9_.-]{1,255}$/;

/** Returns the fields to store. Throws `SVC_INVALID` with the invalid field. The action need not exist. */
export function toAliasFields(input: AliasInput, pack: string): AliasFields {
	const { name, action_ref, formats, ack = {}, result = {}, extra = {}, immutable_parameters = {} } = input;
	assertRefNames({ pack, name });
	if (!refPattern.test(action_ref)) throw new SvcError("SVC_INVALID", `action_ref: "${action_ref}" must be <pack>.<action>`);
	checkFormats(formats);
	for (const [field, value] of Object.entries({ ack, result, extra, immutable_parameters })) assertDepth(field, value as JsonObject);
	return {
		ref: `${pack}.${name}`,
		pack,
		name,
		description: input.description ?? "",
		enabled: input.enabled ?? true,
		action_ref,
		metadata_file: input.metadata_file || null,
		formats,
		ack: ack as JsonObject,
		result: result as JsonObject,
		extra,
		immutable_parameters,
	};
}
