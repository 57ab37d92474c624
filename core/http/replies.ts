import { isSvcError, type Logger, type SvcErrorCode } from "../contract/index.ts";
import { toJsonText } from "./json-cache.ts";

/** A response without the headers that every response has. */
export interface Reply {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
}

/**
 * Header that stops browsers from guessing another content type. Otherwise browsers could run a stored string in a response as a page or
 * script.
 */
export const noSniffHeaders: Readonly<Record<string, string>> = { "x-content-type-options": "nosniff" };

/** Status of each error code. Codes for internal errors have none and are answered with 500. */
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
/** Value of `Retry-After` with status 503, unless the error has its own. */
const unavailableRetrySeconds = 1;
/** Maximum number of characters of an error message in a response. Messages quote input, which may be as long as a body. */
const maxMessageLength = 2_000;

/** Returns a reply with a value as its JSON body. */
export function replyJson(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
	return { status, headers: { "content-type": "application/json", ...noSniffHeaders, ...headers }, body: toJsonText(value ?? null) };
}

/** Headers for replies that contain a plaintext secret, so that browsers and proxies do not cache them. */
export const noStoreHeaders: Readonly<Record<string, string>> = { "cache-control": "no-store" };

/** Returns a reply (200) with a body of the given content type. */
export function replyContent(body: NonNullable<Reply["body"]>, contentType: string, headers: Readonly<Record<string, string>> = {}): Reply {
	return { status: 200, headers: { "content-type": contentType, ...headers }, body };
}

/** Returns a reply without a body (204). */
export function replyNoContent(headers: Reply["headers"] = {}): Reply {
	return { status: 204, headers, body: null };
}

/** Returns an error reply. */
export function replyFault(status: number, faultstring: string, headers: Readonly<Record<string, string>> = {}): Reply {
	return replyJson({ faultstring }, status, headers);
}

/**
 * Returns the reply for a thrown error. An error other than a `SvcError` with a status is logged with `fields` and answered with
 * 500 without its message, which may contain internals.
 */
export function toErrorReply(error: unknown, logger: Logger, fields: Readonly<Record<string, unknown>>): Reply {
	const status = isSvcError(error) ? statuses[error.code] : undefined;
	if (!isSvcError(error) || status === undefined) {
		logger.error("request failed", { ...fields, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
		return replyFault(500, "Internal Server Error");
	}
	const message = error.message.length > maxMessageLength ? `${error.message.slice(0, maxMessageLength)}…` : error.message;
	if (status === 409) {
		return replyJson({ faultstring: message, "conflict-id": error.facts["conflict_id"] ?? null }, status);
	}
	const retryAfter = error.facts["retry_after"] ?? (status === 503 ? unavailableRetrySeconds : undefined);
	const headers = typeof retryAfter === "number" ? { "retry-after": String(Math.max(1, Math.ceil(retryAfter))) } : {};
	return replyFault(status, message, headers);
}
