import {
	arrayOf,
	booleanSchema,
	defineSchema,
	executionSchema,
	fieldsOf,
	integerSchema,
	jsonObject,
	nullable,
	objectSchema,
	partOf,
	stringSchema,
} from "../../core/feature.ts";
import { actionAliasKind } from "./entities.ts";

const formatSchema = {
	anyOf: [
		stringSchema,
		objectSchema({ display: stringSchema, representation: arrayOf(stringSchema), match_multiple: booleanSchema }, ["match_multiple"]),
	],
};
const resultMembers = { enabled: booleanSchema, format: nullable(stringSchema), extra: { anyOf: [jsonObject, { type: "null" }] } };
const ackMembers = { ...resultMembers, append_url: booleanSchema };

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
	objectSchema({
		...fieldsOf(actionAliasKind, ["id", "ref", "name", "pack", "description", "enabled", "action_ref", "metadata_file"]),
		uid: stringSchema,
		author: nullable(stringSchema),
		formats: arrayOf(formatSchema),
		ack: objectSchema(ackMembers, Object.keys(ackMembers)),
		result: objectSchema(resultMembers, Object.keys(resultMembers)),
		...fieldsOf(actionAliasKind, ["extra", "immutable_parameters"]),
	}),
	example,
);
export const aliasPart = partOf(aliasSchema);

/** Alias that a command matches, with the matching format. */
export const aliasMatchSchema = defineSchema(
	"ActionAliasMatch",
	objectSchema({ actionalias: aliasSchema, display: stringSchema, representation: stringSchema }),
);

/** Commands that chat users can send. */
export const aliasHelpSchema = defineSchema(
	"ActionAliasHelp",
	objectSchema({
		available: integerSchema,
		helpstrings: arrayOf(objectSchema({ pack: stringSchema, display: stringSchema, description: stringSchema })),
	}),
	{ available: 1, helpstrings: [{ pack: "disk", display: "sweep <volume>", description: "Free space" }] },
);

const startedMembers = { execution: executionSchema, actionalias: aliasSchema, message: stringSchema, extra: jsonObject };

/** Execution that a command has started, and the acknowledgement. */
const aliasExecutionSchema = defineSchema("AliasExecution", objectSchema(startedMembers, ["message", "extra"]));

/** First execution that a command has started. If there are several, `results` contains all of them. */
export const firstAliasExecutionSchema = defineSchema(
	"FirstAliasExecution",
	objectSchema({ ...startedMembers, results: arrayOf(aliasExecutionSchema) }, ["message", "extra", "results"]),
);

/** All executions that a command has started. */
export const aliasExecutionsSchema = defineSchema("AliasExecutions", objectSchema({ results: arrayOf(aliasExecutionSchema) }));
