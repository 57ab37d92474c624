import { isDeepStrictEqual } from "node:util";
import { type JsonObject, type JsonValue, type SnapshotEntity, SvcError } from "../../contract/index.ts";
import { findDerived } from "../../language/parameters/derived-defaults.ts";
import { mask, memberOf, restoreMasked } from "../../language/parameters/schema-masking.ts";
import { toShownParameters } from "../../secrets/parameter-masking.ts";
import type { Principal } from "../basics/principal.ts";
import type { ExecutionView, RerunInput, SubmitInput } from "../executions/executions-api.ts";

/** The request that runs an execution's action again (reference 7.2, re-run rules), in the trace of the old one. */
export function toRerunInput({ entity, snapshot }: ExecutionView, input: RerunInput, rerunner: Rerunner): SubmitInput {
	const { tasks = [], reset = [] } = input;
	const given = input.parameters ?? {};
	const shown = toShownParameters(entity.parameters, snapshot);
	const restored = restoreMasked(given, shown, entity.parameters) as JsonObject;
	const derived = findDerived({
		runnerSchema: snapshot.runner.runner_parameters,
		actionSchema: snapshot.action.parameters,
		stored: entity.parameters,
		context: { action_context: entity.context },
	});
	const isShown = (name: string) => isDeepStrictEqual(memberOf(shown, name), memberOf(entity.parameters, name));
	// What comes back as it was shown means: the old one. What was masked of it may have changed, so it is made anew if it can be.
	const isSentBack = (name: string) =>
		Object.hasOwn(entity.parameters, name) && isDeepStrictEqual(memberOf(given, name), memberOf(shown, name));
	const isKept = (name: string) => (isSentBack(name) ? isShown(name) || !derived.has(name) : input.noMerge !== true && !derived.has(name));
	if (tasks.length + reset.length > 0 && Object.keys(given).length > 0) {
		throw new SvcError("SVC_INVALID", "parameters: cannot be given together with tasks or reset");
	}
	const changed = Object.keys(given).filter((name) => !isSentBack(name));
	const isPartlyKept = (name: string) => !isDeepStrictEqual(restored[name], given[name]);
	const pick = (values: JsonObject, isPicked: (name: string) => boolean) =>
		Object.fromEntries(Object.entries(values).filter(([name]) => isPicked(name)));
	const parameters = pick(restored, (name) => changed.includes(name));
	// Already rendered when the old execution was made: text from outside is never rendered twice.
	const plainParameters = pick(entity.parameters, (name) => isKept(name) && !changed.includes(name));
	const isDropped = (name: string) => !derived.has(name) && !isKept(name);
	assertKeepsSecrets(
		{ entity, snapshot },
		{
			parameters,
			kept: { ...plainParameters, ...pick(parameters, isPartlyKept) },
			isChanged: changed.length > 0 || Object.keys(entity.parameters).some(isDropped),
		},
		rerunner,
	);
	return {
		action: entity.action_ref,
		parameters,
		plainParameters,
		knownSecrets: entity.known_secrets,
		// Nor what of it stands beside new text.
		literal: Object.keys(parameters).filter(isPartlyKept),
		context: { "re-run": { ref: entity.id, tasks, reset }, trace_context: { id_: entity.trace_id } },
		...(input.user !== undefined && { user: input.user }),
		...(input.delay !== undefined && { delay: input.delay }),
	};
}

interface Rerunner {
	readonly principal: Principal;
	/** The action as it is now; undefined when it is gone. */
	readonly current: SnapshotEntity | undefined;
}

interface NextParameters {
	/** Those that were given. */
	readonly parameters: JsonObject;
	/** Those that are the earlier execution's, or hold parts of it. */
	readonly kept: JsonObject;
	/** Whether they are other ones than before, apart from what the action makes anew. */
	readonly isChanged: boolean;
}

/**
 * Refuse a re-run that would show a secret of the earlier execution, or carry it elsewhere. `SVC_INVALID` names the parameter.
 *
 * Whoever may run the action of somebody's execution again may not have what that user gave it: a secret goes with the parameters
 * it was given with, as beside another address or command it would go where that says.
 */
function assertKeepsSecrets(
	{ entity, snapshot }: Pick<ExecutionView, "entity" | "snapshot">,
	{ parameters, kept, isChanged }: NextParameters,
	{ principal, current }: Rerunner,
): void {
	const isTrusted = principal.isAdmin || principal.username === entity.user;
	const before = toShownParameters({ ...entity.parameters, ...kept }, snapshot);
	const after = current && toShownParameters({ ...kept, ...parameters }, current);
	for (const [name, value] of Object.entries(kept)) {
		const shown = memberOf(before, name);
		if (isDeepStrictEqual(shown, value)) continue;
		if (isChanged && !isTrusted) {
			throw refusal(name, `a secret of "${entity.user}" is kept for the same parameters only; to run with others, give it anew`);
		}
		if (after !== undefined && !staysHidden(value, shown, memberOf(after, name))) {
			throw refusal(name, "it holds a secret of the earlier execution that would no longer be one; give it anew");
		}
	}
}

/** Whether all that was hidden of a value is. */
function staysHidden(value: JsonValue, before: JsonValue | undefined, after: JsonValue | undefined): boolean {
	if (after === mask || isDeepStrictEqual(before, value) || isDeepStrictEqual(before, after)) return true;
	if (before === mask || typeof value !== "object" || value === null) return false;
	return Object.keys(value).every((key) => staysHidden(memberOf(value, key) ?? null, memberOf(before, key), memberOf(after, key)));
}

function refusal(name: string, reason: string): SvcError {
	return new SvcError("SVC_INVALID", `parameter "${name}": ${reason}`);
}
