import { isDeepStrictEqual } from "node:util";
import { type JsonObject, type JsonValue, type SnapshotEntity, SvcError } from "../../contract/index.ts";
import { mask, memberOf } from "../../language/parameters/schema-masking.ts";
import { toShownParameters } from "../../secrets/parameter-masking.ts";
import type { Principal } from "../basics/principal.ts";
import type { ExecutionView } from "../executions/executions-api.ts";

export interface Rerunner {
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
export function assertKeepsSecrets(
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
