import { type ExecutionEntity, type JsonObject, type JsonValue, type Storage, SvcError } from "../../contract/index.ts";
import { assertNotReserved } from "../basics/names.ts";
import type { Principal } from "../basics/principal.ts";
import type { ResolvedAction } from "../executions/action-catalog.ts";
import type { SubmitInput } from "../executions/executions-api.ts";
import type { TemplateSources } from "./parameter-rendering.ts";
import type { TakeUp } from "./partial-rerun.ts";
import { readParentId } from "./trace-selection.ts";

/** Longest delay, 10 years in milliseconds: beyond it due times would leave the range of timestamps. */
const maxDelay = 10 * 365 * 86_400_000;

/** Milliseconds; null: none. */
export function checkDelay(delay: number | undefined): number | null {
	if (delay === undefined || delay === 0) return null;
	if (!Number.isInteger(delay) || delay < 0 || delay > maxDelay) {
		throw new SvcError("SVC_INVALID", `delay: must be a whole number of milliseconds from 0 to ${maxDelay}, got ${delay}`);
	}
	return delay;
}

/** For whom it runs; another user only for administrators. */
export function chooseUser(asked: string | null | undefined, principal: Principal, { systemUser }: TemplateSources): string {
	if (asked === undefined || asked === null || asked === "" || asked === principal.username) return principal.username;
	assertNotReserved("user", asked, systemUser);
	if (principal.isAdmin) return asked;
	throw new SvcError("SVC_FORBIDDEN", `user: "${principal.username}" may not start executions as "${asked}"`);
}

export type Parent = Pick<ExecutionEntity, "user" | "author" | "context" | "known_secrets">;

/** The execution that the request is a part of. Whoever could name any could run actions as any user. */
export async function readParent(storage: Storage, { context = {} }: SubmitInput, principal: Principal): Promise<Parent | undefined> {
	const id = readParentId(context);
	if (id === undefined) return undefined;
	const [parent] = await storage.find("execution", { where: { id }, fields: ["user", "author", "context", "known_secrets"] });
	if (parent === undefined) throw new SvcError("SVC_INVALID", `context.parent.execution_id: execution "${id}" does not exist`);
	if (parent.user !== principal.username && !principal.isAdmin) {
		throw new SvcError("SVC_FORBIDDEN", `context.parent.execution_id: "${principal.username}" may not start children of "${parent.user}"`);
	}
	return parent;
}

/** A new object: the request's context with what the service decides; a child runs for the user of its parent. */
export function toContext(
	input: SubmitInput,
	{ action }: ResolvedAction,
	{ user, principal, parent }: { readonly user: string; readonly principal: Principal; readonly parent: Parent | undefined },
): JsonObject {
	const context = Object.assign({}, input.context, { user, pack: action.pack }) as JsonObject;
	assertItemUser(context, parent?.context ?? {}, principal);
	return parent === undefined ? context : { ...context, user: parent.user };
}

/** What is the service's to say of executions that are made of others: what they take up, and the first of those that took up one another. */
export function toWorkflowContext(
	{ isWorkflow }: { readonly isWorkflow: (runnerName: string) => boolean },
	{ runnerType }: ResolvedAction,
	{ id, takeUp }: { readonly id: string; readonly takeUp: TakeUp | undefined },
): JsonObject {
	if (!isWorkflow(runnerType.name)) return {};
	if (takeUp === undefined) return { workflow_execution: id };
	const { earlier, tasks, reset } = takeUp;
	return { "re-run": { ref: earlier.id, tasks, reset }, workflow_execution: earlier.context["workflow_execution"] ?? earlier.id };
}

/** Templates read the items of whom a context names: whoever could name anybody could read anybody's. A child may name its parent's. */
function assertItemUser(context: JsonObject, parent: JsonObject, { username, isAdmin }: Principal): void {
	const member = isNamed(context["item_user"]) ? "item_user" : "api_user";
	const named = context[member];
	const inherited = isNamed(parent["item_user"]) ? parent["item_user"] : parent["api_user"];
	if (isAdmin || !isNamed(named) || named === username || named === inherited) return;
	throw new SvcError("SVC_FORBIDDEN", `context.${member}: "${username}" may name nobody else`);
}

function isNamed(value: JsonValue | undefined): boolean {
	return value !== undefined && value !== null && value !== "";
}
