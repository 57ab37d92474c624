import { actionAliasKind } from "../../contract/entities/action-alias.ts";
import { arrayOf, defineSchema, fieldsOf, flag, jsonObject, nullable, object, partOf, text, whole } from "../../http/openapi/schema.ts";
import { executionSchema } from "../executions/schemas-api.ts";

const formatSchema = {
	anyOf: [text, object({ display: text, representation: arrayOf(text), match_multiple: flag }, ["match_multiple"])],
};
const resultMembers = { enabled: flag, format: nullable(text), extra: { anyOf: [jsonObject, { type: "null" }] } };
const ackMembers = { ...resultMembers, append_url: flag };

const example = {
	id: "66a1e0019d3e4b7a51c00070",
	uid: "action_alias:disk:sweep",
	ref: "disk.sweep",
	name: "sweep",
	pack: "disk",
	description: "Free space",
	enabled: true,
	action_ref: "disk.sweep",
	formats: [{ display: "sweep <volume>", representation: ["sweep {{ volume }}", "clean {{ volume }}"] }],
	ack: { format: "Sweeping, id {{ execution.id }}", append_url: false },
	result: { format: "Done." },
	extra: {},
	immutable_parameters: {},
	metadata_file: "aliases/sweep.yaml",
	author: "maria",
};

/** Action alias in API responses. */
export const aliasSchema = defineSchema(
	"ActionAlias",
	object({
		...fieldsOf(actionAliasKind, ["id", "ref", "name", "pack", "description", "enabled", "action_ref", "metadata_file"]),
		uid: text,
		author: nullable(text),
		formats: arrayOf(formatSchema),
		ack: object(ackMembers, Object.keys(ackMembers)),
		result: object(resultMembers, Object.keys(resultMembers)),
		...fieldsOf(actionAliasKind, ["extra", "immutable_parameters"]),
	}),
	example,
);
export const aliasPart = partOf(aliasSchema);

/** Alias that a command matches, with the matching format. */
export const aliasMatchSchema = defineSchema("ActionAliasMatch", object({ actionalias: aliasSchema, display: text, representation: text }));

/** Commands that chat users can send. */
export const aliasHelpSchema = defineSchema(
	"ActionAliasHelp",
	object({ available: whole, helpstrings: arrayOf(object({ pack: text, display: text, description: text })) }),
	{ available: 1, helpstrings: [{ pack: "disk", display: "sweep <volume>", description: "Free space" }] },
);

const startedMembers = { execution: executionSchema, actionalias: aliasSchema, message: text, extra: jsonObject };

/** Execution that a command has started, and the acknowledgement. */
const aliasExecutionSchema = defineSchema("AliasExecution", object(startedMembers, ["message", "extra"]));

/** First execution that a command has started. If there are several, `results` contains all of them. */
export const firstAliasExecutionSchema = defineSchema(
	"FirstAliasExecution",
	object({ ...startedMembers, results: arrayOf(aliasExecutionSchema) }, ["message", "extra", "results"]),
);

/** All executions that a command has started. */
export const aliasExecutionsSchema = defineSchema("AliasExecutions", object({ results: arrayOf(aliasExecutionSchema) }));
