/**
 * What went wrong, in one word. Each code has one HTTP status (docs/reference/errors.md).
 *
 * | Code | Meaning |
 * |---|---|
 * | `SVC_INVALID` | the caller sent something that is not allowed; the message names the field |
 * | `SVC_UNAUTHORIZED` | no credential, or one that is not (or no longer) valid |
 * | `SVC_FORBIDDEN` | a valid credential without the permission |
 * | `SVC_NOT_FOUND` | the record, file or route does not exist |
 * | `SVC_CONFLICT` | a unique key is taken, or a compare-and-set lost |
 * | `SVC_TOO_LARGE` | a body or value above its limit |
 * | `SVC_UNSUPPORTED` | a body in a content coding or charset that the service does not read |
 * | `SVC_TOO_MANY` | too many attempts; `facts.retry_after` is in seconds |
 * | `SVC_UNAVAILABLE` | something the answer depends on cannot be reached now; trying again may help |
 * | `SVC_SUBSCRIBER_LAGGED` | a subscriber of the event bus fell behind its buffer and must read from storage |
 * | `SVC_CONFIG` | the configuration is wrong; the message names path and hint |
 * | `SVC_RUNNER` | a runner could not do its work (the action itself was not at fault) |
 */
export type SvcErrorCode =
	| "SVC_INVALID"
	| "SVC_UNAUTHORIZED"
	| "SVC_FORBIDDEN"
	| "SVC_NOT_FOUND"
	| "SVC_CONFLICT"
	| "SVC_TOO_LARGE"
	| "SVC_UNSUPPORTED"
	| "SVC_TOO_MANY"
	| "SVC_UNAVAILABLE"
	| "SVC_SUBSCRIBER_LAGGED"
	| "SVC_CONFIG"
	| "SVC_RUNNER";

/** What an error carries beside its code and message. */
export interface SvcErrorOptions {
	/** The error that led to this one. Always pass it on. */
	readonly cause?: unknown;
	/** For the caller to act on, such as `conflict_id` or `retry_after`. Never a secret. */
	readonly facts?: Readonly<Record<string, unknown>>;
}

/** The one error class for what a caller can act on. Recognise it with `isSvcError`, which works across copies of the package. */
export class SvcError extends Error {
	override readonly name = "SvcError";
	readonly code: SvcErrorCode;
	/** Not called `details`: assertion libraries and test runners take that for a text. */
	readonly facts: Readonly<Record<string, unknown>>;

	/** @param message lower case, no final stop, names the offending field and what is allowed; never a secret */
	constructor(code: SvcErrorCode, message: string, options: SvcErrorOptions = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.code = code;
		this.facts = options.facts ?? {};
	}
}

/** Whether `error` is a `SvcError`, optionally of one code. */
export function isSvcError(error: unknown, code?: SvcErrorCode): error is SvcError {
	return error instanceof Error && error.name === "SvcError" && "code" in error && (code === undefined || error.code === code);
}

/** The text of whatever was thrown. */
export function toErrorMessage(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
