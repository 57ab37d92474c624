import { append, appendedValueOf, type ExecutionActor, type JsonObject, SvcError } from "../../contract/index.ts";
import type { Principal } from "../basics/principal.ts";
import type { ExecutionPatch } from "./status.ts";

/** Maximum length of a reason, in characters. */
const maxReasonLength = 1_000;

/** User who requests a change of an execution, and the credential that authenticated the request. */
export type ChangeRequester = Pick<Principal, "username" | "credential">;

/**
 * Adds the user, the credential and the reason to the log entry of a status patch. A patch without a log entry is returned unchanged.
 * Throws `SVC_INVALID` if the reason has more than 1,000 characters.
 */
export function addLogActor(patch: ExecutionPatch, signer: ChangeRequester, reason?: string): ExecutionPatch {
	const entry = appendedValueOf(patch.log) as JsonObject | undefined;
	return entry === undefined ? patch : { ...patch, log: append({ ...entry, by: toActor(signer, reason) as unknown as JsonObject }) };
}

/** Returns the actor for a log entry. Throws `SVC_INVALID` if the reason has more than 1,000 characters. */
export function toActor({ username, credential }: ChangeRequester, reason?: string): ExecutionActor {
	if (reason !== undefined && reason.length > maxReasonLength) {
		throw new SvcError("SVC_INVALID", `reason: must have at most ${maxReasonLength} characters, got ${reason.length}`);
	}
	return { user: username, credential: credential ?? null, reason: reason === undefined || reason === "" ? null : reason };
}
