import { actionKind } from "../../contract/entities/action.ts";
import { runnerTypeKind } from "../../contract/entities/runner-type.ts";
import { actionParameterSchema } from "../../http/openapi/action-parameter-schema.ts";
import { arrayOf, defineSchema, fieldsOf, jsonObject, objectSchema, partOf, stringSchema } from "../../http/openapi/schema-builders.ts";

const actionFields = ["id", "ref", "pack", "name", "description", "runner_type", "entry_point", "enabled", "metadata_file"] as const;

export const actionExample = {
	id: "66a1e0019d3e4b7a51c00010",
	uid: "action:core:local",
	ref: "core.local",
	pack: "core",
	name: "local",
	description: "Runs a command.",
	runner_type: "local-shell-cmd",
	entry_point: "",
	enabled: true,
	tags: [],
	notify: {},
	output_schema: {},
	parameters: { cmd: { type: "string", required: true } },
};

export const actionSchema = defineSchema(
	"Action",
	objectSchema(
		{
			...fieldsOf(actionKind, actionFields),
			uid: stringSchema,
			parameters: actionParameterSchema,
			output_schema: jsonObject,
			tags: arrayOf(jsonObject),
			notify: jsonObject,
		},
		["metadata_file"],
	),
	actionExample,
);
export const actionPart = partOf(actionSchema);

export const runnerTypeExample = {
	id: "66a1e0019d3e4b7a51c00002",
	uid: "runner_type:local-shell-cmd",
	name: "local-shell-cmd",
	description: "Runs a command in a shell.",
	enabled: true,
	runner_module: "local-shell-cmd",
	runner_parameters: { timeout: { type: "integer", default: 60 } },
};

export const runnerTypeSchema = defineSchema(
	"RunnerType",
	objectSchema(
		{
			...fieldsOf(runnerTypeKind, ["id", "name", "description", "enabled", "runner_module", "output_key"]),
			uid: stringSchema,
			runner_parameters: actionParameterSchema,
		},
		["output_key"],
	),
	runnerTypeExample,
);
export const runnerTypePart = partOf(runnerTypeSchema);
