import { type ExecutionEntity, type JsonValue, SvcError } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { inquiryRunnerType, readAnswerSchema } from "../../language/inquiry-schema.ts";
import type { Inquiry } from "./inquiries-exports.ts";

/** Returns the inquiry in the result of a pending execution. */
export function toInquiry({ id, result }: Pick<ExecutionEntity, "id" | "result">): Inquiry {
	const { route, ttl, users, roles } = result ?? {};
	return {
		id,
		route: typeof route === "string" ? route : "",
		ttl: typeof ttl === "number" ? ttl : 0,
		users: toTexts(users),
		roles: toTexts(roles),
		schema: readAnswerSchema(result),
	};
}

/** Throws `SVC_INVALID` if an execution is not a pending inquiry. */
export function assertWaiting({ id, runner_name, status }: ExecutionEntity): void {
	if (runner_name !== inquiryRunnerType) throw new SvcError("SVC_INVALID", `Action execution "${id}" is not an inquiry.`);
	if (status === "timeout") throw new SvcError("SVC_INVALID", `Inquiry "${id}" timed out and cannot be responded to.`);
	if (status === "canceled") throw new SvcError("SVC_INVALID", `Inquiry "${id}" was canceled and cannot be responded to.`);
	if (status !== "pending") throw new SvcError("SVC_INVALID", `Inquiry "${id}" has already been responded to.`);
}

/** Throws `SVC_FORBIDDEN` if the inquiry is not addressed to the principal. Without access control, roles of the inquiry are ignored. */
export function assertMayRespond({ id, users, roles }: Inquiry, principal: Principal): void {
	const isUser = users.length === 0 || users.includes(principal.username);
	const held = principal.roles;
	const hasRole = roles.length === 0 || held === undefined || roles.some((role) => held.includes(role));
	if (isUser && hasRole) return;
	throw new SvcError("SVC_FORBIDDEN", `User "${principal.username}" does not have permission to respond to inquiry "${id}".`);
}

function toTexts(value: JsonValue | undefined): readonly string[] {
	return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
