import type { Principal } from "../kernel/basics/principal.ts";
import type { Reply } from "./replies.ts";

/** The parts of a request that an audit record needs. */
export interface AuditedRequest {
	readonly route: { readonly component: string; readonly method: string; readonly path: string; readonly permission: string };
	/** The caller; an anonymous principal with an empty username if the caller is unknown. */
	readonly principal: Principal;
	readonly path: Readonly<Record<string, string>>;
	readonly headers: Headers;
	readonly requestId: string;
	/** Returns the address of the other end of the connection, which may be a proxy. Returns undefined if it is unknown. */
	peerAddress(): string | undefined;
}

/** Records changes with their caller, and refused requests. A feature may implement it (`auditHook`). */
export interface AuditHook {
	/**
	 * Answers a request that may change something and records its changes. Throws the errors of `answer`. Throws `SVC_UNAVAILABLE` if the
	 * changes cannot be recorded.
	 */
	record(request: AuditedRequest, answer: () => Promise<Reply> | Reply): Promise<Reply> | Reply;
	/** Records that a request was refused with `error`. Never rejects. */
	recordRefusal(request: AuditedRequest, error: unknown): Promise<void>;
}

/** Records nothing. Used if no feature keeps audit records. */
export const noAuditHook: AuditHook = {
	record: (_request, answer) => answer(),
	recordRefusal: async () => {},
};
