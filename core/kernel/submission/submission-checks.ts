import { type ExecutionEntity, type JsonObject, type JsonValue, type Storage, SvcError } from "../../contract/index.ts";
import { assertNotReservedName } from "../basics/names.ts";
import type { Principal } from "../basics/principal.ts";
import type { ResolvedAction } from "../executions/action-catalog.ts";
import type { SubmitInput } from "../executions/executions-api.ts";
import type { TemplateSources } from "./parameter-rendering.ts";
import type { PartialRerun } from "./rerun-request.ts";
import { readParentId } from "./trace-selection.ts";

/** Maximum delay in milliseconds: 10 years. A longer delay could produce due times outside the range of timestamps. */
const maxDelayMs = 10 * 365 * 86_400_000;

/** Returns the delay in milliseconds, or null for no delay. Throws `SVC_INVALID` unless it is a whole number from 0 to ten years. */
export function checkDelay(delay: number | undefined): number | null {
	if (delay === undefined || delay === 0) return null;
	if (!Number.isInteger(delay) || delay < 0 || delay > maxDelayMs) {
		throw new SvcError("SVC_INVALID", `delay: must be a whole number of milliseconds from 0 to ${maxDelayMs}, got ${delay}`);
	}
	return delay;
}

/** Returns the user for whom an execution runs. Throws `SVC_FORBIDDEN` if a user who is not an administrator names another user. */
export function chooseUser(requested: string | null | undefined, principal: Principal, { systemUser }: TemplateSources): string {
	if (requested === undefined || requested === null || requested === "" || requested === principal.username) return principal.username;
	assertNotReservedName("user", requested, systemUser);
	if (principal.isAdmin) return requested;
	throw new SvcError("SVC_FORBIDDEN", `user: "${principal.username}" may not start executions as "${requested}"`);
}

/** Fields of a parent execution that its children inherit. */
export type ParentExecution = Pick<ExecutionEntity, "user" | "author" | "context" | "known_secrets">;

/**
 * Returns the parent execution that a request names; undefined if it names none. Throws `SVC_INVALID` if the parent does not exist. Throws
 * `SVC_FORBIDDEN` if the parent is another user's and the principal is not an administrator. Otherwise any caller could run actions as any
 * user, because a child runs for the user of its parent.
 */
export async function readParent(
	storage: Storage,
	{ context = {} }: SubmitInput,
	principal: Principal,
): Promise<ParentExecution | undefined> {
	const id = readParentId(context);
	if (id === undefined) return undefined;
	const [parent] = await storage.find("execution", { where: { id }, fields: ["user", "author", "context", "known_secrets"] });
	if (parent === undefined) throw new SvcError("SVC_INVALID", `context.parent.execution_id: execution "${id}" does not exist`);
	if (parent.user !== principal.username && !principal.isAdmin) {
		throw new SvcError("SVC_FORBIDDEN", `context.parent.execution_id: "${principal.username}" may not start children of "${parent.user}"`);
	}
	return parent;
}

/**
 * Returns the context of a new execution: that of the request, plus the members that the service sets. A child gets the user of its parent.
 * Throws `SVC_FORBIDDEN` if the context names another user for datastore items.
 */
export function toContext(
	input: SubmitInput,
	{ action }: ResolvedAction,
	{ user, principal, parent }: { readonly user: string; readonly principal: Principal; readonly parent: ParentExecution | undefined },
): JsonObject {
	const context = Object.assign({}, input.context, { user, pack: action.pack }) as JsonObject;
	assertDatastoreUser(context, parent?.context ?? {}, principal);
	return parent === undefined ? context : { ...context, user: parent.user };
}

/**
 * Returns the context members that only the service sets for a workflow execution. `re-run` describes a partial re-run of an earlier
 * execution; `workflow_execution` is the id of the first execution of a chain of partial re-runs. Returns no members if the execution is
 * not a workflow.
 */
export function toWorkflowContextMembers(
	{ isWorkflow }: { readonly isWorkflow: (runnerName: string) => boolean },
	{ runnerType }: ResolvedAction,
	{ id, partialRerun }: { readonly id: string; readonly partialRerun: PartialRerun | undefined },
): JsonObject {
	if (!isWorkflow(runnerType.name)) return {};
	if (partialRerun === undefined) return { workflow_execution: id };
	const { earlier, tasks, reset } = partialRerun;
	return { "re-run": { ref: earlier.id, tasks, reset }, workflow_execution: earlier.context["workflow_execution"] ?? earlier.id };
}

/**
 * Throws `SVC_FORBIDDEN` if the context names another user whose datastore items templates would read. Otherwise any caller could read
 * the items of any user. Administrators may name every user, and a child may name the user that its parent names.
 */
function assertDatastoreUser(context: JsonObject, parent: JsonObject, { username, isAdmin }: Principal): void {
	const member = isNamed(context["item_user"]) ? "item_user" : "api_user";
	const namedUser = context[member];
	const inheritedUser = isNamed(parent["item_user"]) ? parent["item_user"] : parent["api_user"];
	if (isAdmin || !isNamed(namedUser) || namedUser === username || namedUser === inheritedUser) return;
	throw new SvcError("SVC_FORBIDDEN", `context.${member}: "${username}" may only name itself`);
}

function isNamed(value: JsonValue | undefined): boolean {
	return value !== undefined && value !== null && value !== "";
}
