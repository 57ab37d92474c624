import { type JsonObject, SvcError } from "../contract/index.ts";
import type { ExecutionView, RerunInput, SubmitInput } from "./engine-api.ts";
import { mask } from "./mask.ts";

/** The request that runs an execution's action again (reference 7.2, re-run rules), in the trace of the old one. */
export function toRerunInput({ entity }: ExecutionView, input: RerunInput): SubmitInput {
	const { parameters = {}, tasks = [], reset = [] } = input;
	if (tasks.length > 0 || reset.length > 0) {
		if (Object.keys(parameters).length > 0) throw new SvcError("SVC_INVALID", "parameters: cannot be given together with tasks or reset");
		throw new SvcError("SVC_INVALID", `tasks: runner type "${entity.runner_name}" has no tasks to run again`);
	}
	return {
		action: entity.action_ref,
		parameters: toParameters(entity.parameters, parameters, input.noMerge ?? false),
		context: { "re-run": { ref: entity.id, tasks, reset }, trace_context: { id_: entity.trace_id } },
		...(input.user !== undefined && { user: input.user }),
		...(input.delay !== undefined && { delay: input.delay }),
	};
}

/** Old parameters overlaid with the new ones. A masked value that comes back means: keep the old one. */
function toParameters(old: JsonObject, given: JsonObject, noMerge: boolean): JsonObject {
	const kept = Object.entries(given).map(([name, value]) => [name, value === mask && Object.hasOwn(old, name) ? (old[name] ?? null) : value]);
	return { ...(noMerge ? {} : old), ...Object.fromEntries(kept) };
}
