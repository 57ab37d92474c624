import { isDeepStrictEqual } from "node:util";
import { type JsonObject, SvcError } from "../contract/index.ts";
import type { ExecutionView, RerunInput, SubmitInput } from "./engine-api.ts";
import { memberOf, restoreMasked } from "./mask.ts";
import { findDerived } from "./parameters/derived.ts";
import { toShownParameters } from "./shown-parameters.ts";

/** The request that runs an execution's action again (reference 7.2, re-run rules), in the trace of the old one. */
export function toRerunInput({ entity, snapshot }: ExecutionView, input: RerunInput): SubmitInput {
	const { tasks = [], reset = [] } = input;
	const shown = toShownParameters(entity.parameters, snapshot);
	const parameters = restoreMasked(input.parameters ?? {}, shown, entity.parameters) as JsonObject;
	const derived = findDerived({
		runnerSchema: snapshot.runner.runner_parameters,
		actionSchema: snapshot.action.parameters,
		stored: entity.parameters,
		context: { action_context: entity.context },
	});
	const isShown = (name: string) => isDeepStrictEqual(memberOf(shown, name), memberOf(entity.parameters, name));
	// What comes back as it was shown means: the old one. What was masked of it may have changed, so it is made anew if it can be.
	const isSentBack = (name: string) =>
		Object.hasOwn(entity.parameters, name) && isDeepStrictEqual(memberOf(input.parameters, name), memberOf(shown, name));
	const isKept = (name: string) => (isSentBack(name) ? isShown(name) || !derived.has(name) : input.noMerge !== true && !derived.has(name));
	if (tasks.length > 0 || reset.length > 0) {
		if (Object.keys(parameters).length > 0) throw new SvcError("SVC_INVALID", "parameters: cannot be given together with tasks or reset");
		throw new SvcError("SVC_INVALID", `tasks: runner type "${entity.runner_name}" has no tasks to run again`);
	}
	return {
		action: entity.action_ref,
		parameters: Object.fromEntries(Object.entries(parameters).filter(([name]) => !isSentBack(name))),
		// Already rendered when the old execution was made: text from outside is never rendered twice.
		plainParameters: Object.fromEntries(Object.entries(entity.parameters).filter(([name]) => isKept(name))),
		context: { "re-run": { ref: entity.id, tasks, reset }, trace_context: { id_: entity.trace_id } },
		...(input.user !== undefined && { user: input.user }),
		...(input.delay !== undefined && { delay: input.delay }),
	};
}
