import { SvcError } from "../contract/index.ts";
import type { ExecutionView, RerunInput, SubmitInput } from "./engine-api.ts";
import { mask } from "./mask.ts";

/** The request that runs an execution's action again (reference 7.2, re-run rules), in the trace of the old one. */
export function toRerunInput({ entity }: ExecutionView, input: RerunInput): SubmitInput {
	const { parameters = {}, tasks = [], reset = [] } = input;
	// A masked value that comes back means: keep the old one.
	const isKept = (name: string) => parameters[name] === mask && Object.hasOwn(entity.parameters, name);
	if (tasks.length > 0 || reset.length > 0) {
		if (Object.keys(parameters).length > 0) throw new SvcError("SVC_INVALID", "parameters: cannot be given together with tasks or reset");
		throw new SvcError("SVC_INVALID", `tasks: runner type "${entity.runner_name}" has no tasks to run again`);
	}
	return {
		action: entity.action_ref,
		parameters: Object.fromEntries(Object.entries(parameters).filter(([name]) => !isKept(name))),
		// Already rendered when the old execution was made: text from outside is never rendered twice.
		plainParameters: Object.fromEntries(Object.entries(entity.parameters).filter(([name]) => input.noMerge !== true || isKept(name))),
		context: { "re-run": { ref: entity.id, tasks, reset }, trace_context: { id_: entity.trace_id } },
		...(input.user !== undefined && { user: input.user }),
		...(input.delay !== undefined && { delay: input.delay }),
	};
}
