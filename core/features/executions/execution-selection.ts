import { type ExecutionEntity, entityKinds } from "../../contract/index.ts";
import { isSelected, parseSelection, type Selection, type selectionQuery } from "../../http/field-selection.ts";
import type { QueryValues } from "../../http/query.ts";

type Field = keyof ExecutionEntity;

/** Fields of an execution to read, and members to show. */
export interface ExecutionSelection {
	readonly selection: Selection | undefined;
	readonly fields: readonly Field[];
	readonly children: boolean;
}

/** Members of the API record of an execution. */
export const executionMembers: ReadonlySet<string> = new Set([
	"id",
	"status",
	"start_timestamp",
	"end_timestamp",
	"elapsed_seconds",
	"log",
	"parameters",
	"result",
	"result_size",
	"context",
	"action",
	"runner",
	"liveaction",
	"web_url",
	"parent",
	"children",
	"rule",
	"trigger",
	"trigger_type",
	"trigger_instance",
	"workflow_execution",
	"task_execution",
	"delay",
	"awaited_inquiries",
]);
const rules = { includable: executionMembers, excludable: new Set(["result", "trigger_instance", "status"]), mandatory: ["id"] };

const allFields = Object.keys(entityKinds.execution.fields) as Field[];
/** Fields that cannot be large: all except JSON fields. */
const smallFields = allFields.filter((field) => entityKinds.execution.fields[field] !== "json");

/** Large fields from which a member of the API record is derived. */
const sources: Readonly<Record<string, readonly Field[]>> = {
	log: ["log"],
	parameters: ["parameters"],
	result: ["result"],
	context: ["context"],
	liveaction: ["parameters", "callback", "runner_info", "notify"],
	// The parameters are needed to mask secrets in the following members.
	rule: ["parameters"],
	trigger: ["parameters"],
	trigger_type: ["parameters"],
	trigger_instance: ["parameters"],
};

/** Members added to every selection of a part of the action or runner. Clients rely on them. */
const actionCompanions = ["action.parameters", "action.pack", "action.uid", "action.output_schema"];
const runnerCompanions = ["runner.runner_parameters", "runner.output_key"];

export function parseExecutionSelection(query: QueryValues<typeof selectionQuery>): ExecutionSelection {
	const { include_attributes: include, exclude_attributes } = query;
	const selection = parseSelection({ include_attributes: include && withCompanions(include), exclude_attributes }, rules);
	const fields = new Set(smallFields);
	for (const [member, from] of Object.entries(sources)) {
		if (isSelected(selection, member)) for (const field of from) fields.add(field);
	}
	return { selection, fields: [...fields], children: isSelected(selection, "children") };
}

function withCompanions(include: readonly string[]): readonly string[] {
	const names = new Set(include.map((attribute) => attribute.split(".", 1)[0]));
	if (!names.has("action") && !names.has("runner")) return include;
	return [...include, ...(names.has("action") ? actionCompanions : []), ...runnerCompanions];
}
