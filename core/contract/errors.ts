/**
 * Code of an error. Each code maps to one HTTP status (docs/reference/errors.md).
 *
 * | Code | Meaning |
 * |---|---|
 * | `SVC_INVALID` | the input of the caller is invalid; the message names the field |
 * | `SVC_UNAUTHORIZED` | there is no credential, or it is invalid or has expired |
 * | `SVC_FORBIDDEN` | the credential is valid but lacks the permission |
 * | `SVC_NOT_FOUND` | the record, file or route does not exist |
 * | `SVC_CONFLICT` | a unique key is taken, or a compare-and-set failed |
 * | `SVC_TOO_LARGE` | a body or value exceeds its limit |
 * | `SVC_UNSUPPORTED` | the content coding or charset of a body is not supported |
 * | `SVC_TOO_MANY` | too many attempts; `facts.retry_after` is in seconds |
 * | `SVC_UNAVAILABLE` | a dependency is currently unreachable; a retry may succeed |
 * | `SVC_SUBSCRIBER_LAGGED` | the buffer of a subscriber of the event bus overflowed; the subscriber must read from storage |
 * | `SVC_CONFIG` | the configuration is invalid; the message names the path and gives a hint |
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

/** Additional data of an error. */
export interface SvcErrorOptions {
	/** The error that caused this one. Always pass it on. */
	readonly cause?: unknown;
	/** Data for the caller, such as `conflict_id` or `retry_after`. Must not contain secrets. */
	readonly facts?: Readonly<Record<string, unknown>>;
}

/** The error class for failures that a caller can act on. Test for it with `isSvcError`, which works across copies of the package. */
export class SvcError extends Error {
	override readonly name = "SvcError";
	readonly code: SvcErrorCode;
	/**
	 * Data for the caller. It is not named `details`, because assertion libraries and test runners expect a string in a property of that name.
	 */
	readonly facts: Readonly<Record<string, unknown>>;

	/** @param message lower case, without a final stop; names the invalid field and the allowed values; must not contain secrets */
	constructor(code: SvcErrorCode, message: string, options: SvcErrorOptions = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.code = code;
		this.facts = options.facts ?? {};
	}
}

/** Returns true if `error` is a `SvcError`. If `code` is given, the error must have this code. */
export function isSvcError(error: unknown, code?: SvcErrorCode): error is SvcError {
	return error instanceof Error && error.name === "SvcError" && "code" in error && (code === undefined || error.code === code);
}

/** Returns the message of an error; any other thrown value as a string. */
export function toErrorMessage(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
