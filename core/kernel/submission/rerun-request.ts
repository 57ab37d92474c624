import { isDeepStrictEqual } from "node:util";
import { type ActionSnapshotEntity, type ExecutionEntity, type JsonObject, type JsonValue, SvcError } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { findDefaultedParameters } from "../../language/parameters/find-defaulted-parameters.ts";
import { memberOf, restoreMasked } from "../../language/parameters/schema-masking.ts";
import { maskExecutionParameters } from "../../secrets/parameter-masking.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { Principal } from "../basics/principal.ts";
import type { ExecutionView, RerunInput, SubmitInput } from "../executions/executions-api.ts";
import { readJournal } from "../executions/read-journal.ts";
import { isCompleted } from "../executions/status.ts";

/** Returns the request that runs the action of an execution again, in the trace of that execution. */
export function toRerunInput({ entity, snapshot }: ExecutionView, input: RerunInput, conditions: RerunConditions): SubmitInput {
	const { tasks = [], reset = [] } = input;
	const requestParameters = input.parameters ?? {};
	const maskedParameters = maskExecutionParameters(entity.parameters, snapshot);
	const restoredParameters = restoreMasked(requestParameters, maskedParameters, entity.parameters) as JsonObject;
	const derivedNames = findDefaultedParameters({
		runnerSchema: snapshot.runner.runner_parameters,
		actionSchema: snapshot.action.parameters,
		storedParameters: entity.parameters,
		context: { action_context: entity.context },
	});
	const isUnmasked = (name: string) => isDeepStrictEqual(memberOf(maskedParameters, name), memberOf(entity.parameters, name));
	// If the caller sends a value back exactly as it was presented, the old value is kept. But a masked derived value is derived again,
	// because its secrets may have changed.
	const isSentBack = (name: string) =>
		Object.hasOwn(entity.parameters, name) && isDeepStrictEqual(memberOf(requestParameters, name), memberOf(maskedParameters, name));
	const isKept = (name: string) =>
		isSentBack(name) ? isUnmasked(name) || !derivedNames.has(name) : input.noMerge !== true && !derivedNames.has(name);
	if (tasks.length + reset.length > 0 && Object.keys(requestParameters).length > 0) {
		throw new SvcError("SVC_INVALID", "parameters: cannot be used together with tasks or reset");
	}
	const changedNames = Object.keys(requestParameters).filter((name) => !isSentBack(name));
	const isPartlyKept = (name: string) => !isDeepStrictEqual(restoredParameters[name], requestParameters[name]);
	const pick = (values: JsonObject, isPicked: (name: string) => boolean) =>
		Object.fromEntries(Object.entries(values).filter(([name]) => isPicked(name)));
	const parameters = pick(restoredParameters, (name) => changedNames.includes(name));
	// These parameters were rendered when the old execution was created. Rendering them again would evaluate templates in the input of
	// callers.
	const plainParameters = pick(entity.parameters, (name) => isKept(name) && !changedNames.includes(name));
	const isDropped = (name: string) => !derivedNames.has(name) && !isKept(name);
	assertKeepsSecrets(
		{ entity, snapshot },
		{
			parameters,
			kept: { ...plainParameters, ...pick(parameters, isPartlyKept) },
			isChanged: changedNames.length > 0 || Object.keys(entity.parameters).some(isDropped),
		},
		conditions,
	);
	return {
		action: entity.action_ref,
		parameters,
		plainParameters,
		knownSecrets: entity.known_secrets,
		// A changed value that contains parts of an old value must not be rendered again either.
		literalParameters: Object.keys(parameters).filter(isPartlyKept),
		context: { "re-run": { ref: entity.id, tasks, reset }, trace_context: { id_: entity.trace_id } },
		...(input.user !== undefined && { user: input.user }),
		...(input.delay !== undefined && { delay: input.delay }),
	};
}

/** User who requests a re-run, and the action that would run. */
interface RerunConditions {
	readonly principal: Principal;
	/** The current action; undefined if it does not exist any more. */
	readonly current: ActionSnapshotEntity | undefined;
}

interface NextParameters {
	/** Parameters from the request whose values differ from the earlier ones. */
	readonly parameters: JsonObject;
	/** Parameters whose values are, or contain parts of, values of the earlier execution. */
	readonly kept: JsonObject;
	/** True if any parameter differs from the earlier execution, apart from values that the action derives again. */
	readonly isChanged: boolean;
}

/**
 * Throws `SVC_INVALID`, which names the parameter, if a re-run would reveal a secret of the earlier execution or send it elsewhere.
 *
 * The permission to re-run another user's execution does not extend to the secrets that this user gave it. A secret is only reused together
 * with the parameters with which it was given. With another address or command, the action could send the secret to a server that the
 * caller chooses.
 */
function assertKeepsSecrets(
	{ entity, snapshot }: Pick<ExecutionView, "entity" | "snapshot">,
	{ parameters, kept, isChanged }: NextParameters,
	{ principal, current }: RerunConditions,
): void {
	const isTrusted = principal.isAdmin || principal.username === entity.user;
	const before = maskExecutionParameters({ ...entity.parameters, ...kept }, snapshot);
	const after = current && maskExecutionParameters({ ...kept, ...parameters }, current);
	for (const [name, value] of Object.entries(kept)) {
		const maskedValue = memberOf(before, name);
		if (isDeepStrictEqual(maskedValue, value)) continue;
		if (isChanged && !isTrusted) {
			throw refusal(name, `a secret of "${entity.user}" is reused only with the same parameters; for others, give it again`);
		}
		if (after !== undefined && !staysMasked(value, maskedValue, memberOf(after, name))) {
			throw refusal(name, "it holds a secret of the earlier execution, which would no longer be secret; give the value again");
		}
	}
}

/** Returns true if every part of a value that was masked before is still masked. */
function staysMasked(value: JsonValue, before: JsonValue | undefined, after: JsonValue | undefined): boolean {
	if (after === secretMask || isDeepStrictEqual(before, value) || isDeepStrictEqual(before, after)) return true;
	if (before === secretMask || typeof value !== "object" || value === null) return false;
	return Object.keys(value).every((key) => staysMasked(memberOf(value, key) ?? null, memberOf(before, key), memberOf(after, key)));
}

function refusal(name: string, reason: string): SvcError {
	return new SvcError("SVC_INVALID", `parameter "${name}": ${reason}`);
}

/** A partial re-run: selected tasks of an execution that has ended run again in a new execution. */
export interface PartialRerun {
	readonly earlier: Pick<ExecutionEntity, "id" | "context">;
	/** Names of the tasks to run again. */
	readonly tasks: readonly string[];
	/** Names of the tasks among `tasks` that start from the beginning. */
	readonly reset: readonly string[];
}

/** Checks that selected tasks of an execution can run again, and returns them without duplicates. Throws `SVC_INVALID` if they cannot. */
export async function checkPartialRerun(
	{ storage, runners }: Uses<"storage" | "runners">,
	earlier: Pick<ExecutionEntity, "id" | "context" | "status" | "runner_name">,
	{ tasks, reset }: Pick<PartialRerun, "tasks" | "reset">,
): Promise<PartialRerun> {
	const { id, runner_name, status } = earlier;
	const definitions = runners.get(runner_name)?.definitions;
	if (definitions?.assertTakenUp === undefined) {
		throw new SvcError("SVC_INVALID", `tasks: runner type "${runner_name}" has no tasks to run again`);
	}
	const unexpected = reset.filter((task) => !tasks.includes(task));
	if (unexpected.length > 0) throw new SvcError("SVC_INVALID", `reset: must be among tasks; these are missing: ${unexpected.join(", ")}`);
	if (!isCompleted(status)) {
		throw new SvcError("SVC_INVALID", `tasks: execution "${id}" has not ended, it is "${status}"; its tasks can run again later`);
	}
	await definitions.assertTakenUp(await readJournal(storage, id), tasks, reset);
	return { earlier, tasks: [...new Set(tasks)], reset: [...new Set(reset)] };
}
