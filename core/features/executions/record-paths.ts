import { SvcError } from "../../contract/index.ts";
import type { ExecutionFilter } from "../../kernel/executions/executions-api.ts";
import { executionMembers } from "./execution-selection.ts";

/** The path of the time that a list may have a range of. */
export const startPath = "start_timestamp";

/** What executions are found by without looking at each. */
export type FilterField = Exclude<keyof ExecutionFilter, "start_timestamp">;

/** Paths into the record that have an index. */
export const recordPaths: ReadonlyMap<string, FilterField> = new Map([
	["id", "id"],
	["status", "status"],
	["parent", "parent_id"],
	["context.parent.execution_id", "parent_id"],
	["action.ref", "action_ref"],
	["action.uid", "action_ref"],
	["liveaction.action", "action_ref"],
	["liveaction.id", "liveaction_id"],
	["action.runner_type", "runner_name"],
	["runner.name", "runner_name"],
	["runner.uid", "runner_name"],
	["rule.name", "rule_name"],
	["context.rule.name", "rule_name"],
	["trigger.name", "trigger_name"],
	["trigger_type.name", "trigger_type_name"],
	["trigger_instance.id", "trigger_instance_id"],
	["context.trigger_instance.id", "trigger_instance_id"],
	["context.user", "user"],
	["context.trace_context.id_", "trace_id"],
]);

/** The field that a path of the record stands for, and the value to look for. Throws `SVC_INVALID` where every execution would be read. */
export function toIndexed(path: string, value: string): { readonly field: FilterField; readonly value: string | readonly string[] } {
	const field = recordPaths.get(path);
	if (field !== undefined) return { field, value: toStored(path, value) };
	const allowed = `allowed are ${[...recordPaths.keys(), startPath].join(", ")}`;
	const [member = ""] = path.split(".", 1);
	const isMember = executionMembers.has(member);
	const why = isMember ? `"${path}" has no index, every execution would be read` : `"${path}" is not in the record of an execution`;
	throw new SvcError("SVC_INVALID", `filter: ${why}; ${allowed}`);
}

/** A uid holds what is stored behind its kind. One of another kind is nobody's. */
function toStored(path: string, value: string): string | readonly string[] {
	if (value === "" || value.toLowerCase() === "null") return value;
	if (path === "runner.uid") return value.startsWith("runner_type:") ? value.slice("runner_type:".length) : [];
	if (path !== "action.uid") return value;
	const [kind, pack, ...name] = value.split(":");
	return kind === "action" && name.length > 0 ? `${pack}.${name.join(":")}` : [];
}
