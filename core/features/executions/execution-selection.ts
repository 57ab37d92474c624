import { type ExecutionEntity, entityKinds } from "../../contract/index.ts";
import { isSelected, parseSelection, type Selection, type selectionQuery } from "../../http/field-selection.ts";
import type { QueryValues } from "../../http/query.ts";

type Field = keyof ExecutionEntity;

/** What to read of an execution and what to show of it. */
export interface ExecutionSelection {
	readonly selection: Selection | undefined;
	readonly fields: readonly Field[];
	readonly children: boolean;
}

/** Members of the record of an execution. */
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
/** Everything but what can be large. */
const smallFields = allFields.filter((field) => entityKinds.execution.fields[field] !== "json");

/** Large fields that a member is made of. */
const sources: Readonly<Record<string, readonly Field[]>> = {
	log: ["log"],
	parameters: ["parameters"],
	result: ["result"],
	context: ["context"],
	liveaction: ["parameters", "callback", "runner_info", "notify"],
	// They say what is secret in these.
	rule: ["parameters"],
	trigger: ["parameters"],
	trigger_type: ["parameters"],
	trigger_instance: ["parameters"],
};

/** Clients that ask for a part of the action or runner rely on these members. */
const actionCompanions = ["action.parameters", "action.pack", "action.uid", "action.output_schema"];
const runnerCompanions = ["runner.runner_parameters", "runner.output_key"];

/** Read the selection of a query over executions. */
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
