import { isSvcError, type Logger, type SvcErrorCode } from "../contract/index.ts";
import { toJsonText } from "./json-cache.ts";

/** An answer before the headers that every answer carries. */
export interface Reply {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
}

/** Browsers take an answer for what it says it is, and nothing else: also where it repeats what somebody has stored. */
export const sniffHeaders: Readonly<Record<string, string>> = { "x-content-type-options": "nosniff" };

/** Status of each error code. Codes about the inside of the service have none: they are answered as 500. */
const statuses: { readonly [C in SvcErrorCode]?: number } = {
	SVC_INVALID: 400,
	SVC_UNAUTHORIZED: 401,
	SVC_FORBIDDEN: 403,
	SVC_NOT_FOUND: 404,
	SVC_CONFLICT: 409,
	SVC_TOO_LARGE: 413,
	SVC_UNSUPPORTED: 415,
	SVC_TOO_MANY: 429,
	SVC_UNAVAILABLE: 503,
};
const unavailableRetrySeconds = 1;
/** Messages quote what was sent, which may be as long as a body. */
const longestMessage = 2_000;

/** A JSON answer. */
export function replyJson(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
	return { status, headers: { "content-type": "application/json", ...sniffHeaders, ...headers }, body: toJsonText(value ?? null) };
}

/** For answers that hold a secret in clear: neither browsers nor proxies keep them. */
export const noStore: Readonly<Record<string, string>> = { "cache-control": "no-store" };

/** An answer with text or bytes of a type. */
export function replyContent(body: NonNullable<Reply["body"]>, contentType: string, headers: Readonly<Record<string, string>> = {}): Reply {
	return { status: 200, headers: { "content-type": contentType, ...headers }, body };
}

/** 204. */
export function replyNothing(headers: Reply["headers"] = {}): Reply {
	return { status: 204, headers, body: null };
}

/** An error body with its status. */
export function replyFault(status: number, faultstring: string, headers: Readonly<Record<string, string>> = {}): Reply {
	return replyJson({ faultstring }, status, headers);
}

/** The answer for whatever was thrown. What is not a `SvcError` with a status is logged and told to nobody. */
export function toErrorReply(error: unknown, logger: Logger, fields: Readonly<Record<string, unknown>>): Reply {
	const status = isSvcError(error) ? statuses[error.code] : undefined;
	if (!isSvcError(error) || status === undefined) {
		logger.error("request failed", { ...fields, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
		return replyFault(500, "Internal Server Error");
	}
	const message = error.message.length > longestMessage ? `${error.message.slice(0, longestMessage)}…` : error.message;
	if (status === 409) {
		return replyJson({ faultstring: message, "conflict-id": error.facts["conflict_id"] ?? null }, status);
	}
	const retryAfter = error.facts["retry_after"] ?? (status === 503 ? unavailableRetrySeconds : undefined);
	const headers = typeof retryAfter === "number" ? { "retry-after": String(Math.max(1, Math.ceil(retryAfter))) } : {};
	return replyFault(status, message, headers);
}
