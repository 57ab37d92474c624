import { SvcError } from "../../core/contract/index.ts";

const resultCode = {
	sizeLimitExceeded: 4,
	adminLimitExceeded: 11,
	constraintViolation: 19,
	noSuchObject: 32,
	inappropriateAuthentication: 48,
	invalidCredentials: 49,
	insufficientAccessRights: 50,
	busy: 51,
	unavailable: 52,
	unwillingToPerform: 53,
} as const;

/**
 * Result codes of a refused sign-in: a wrong password, or an account that has no password, is locked or deleted. Directories use different
 * codes.
 */
const refusals: readonly number[] = [
	resultCode.invalidCredentials,
	resultCode.inappropriateAuthentication,
	resultCode.noSuchObject,
	resultCode.constraintViolation,
	resultCode.insufficientAccessRights,
	resultCode.unwillingToPerform,
];

/** Creates the error for a sign-in that could not be verified. The user gets no details; the log gets the reason, which is the cause. */
export function createVerificationError(reason: string, cause?: unknown): SvcError {
	return new SvcError("SVC_UNAVAILABLE", "the directory is temporarily unavailable", { cause: new Error(reason, { cause }) });
}

/** Returns true if the response to a bind means that this user may not sign in with this password. */
export function isRefusal(error: unknown): boolean {
	const code = toResultCode(error);
	return code !== undefined && refusals.includes(code);
}

/** Returns true if another server may succeed: this server was unreachable, closed the connection or reports that it is unavailable. */
export function isServerUnavailable(error: unknown): boolean {
	if (error instanceof SvcError) return false;
	const code = toResultCode(error);
	return code === undefined || code === resultCode.busy || code === resultCode.unavailable;
}

/** Returns true if the server omitted entries because of its own limit. */
export function isSizeLimit(error: unknown): boolean {
	const code = toResultCode(error);
	return code === resultCode.sizeLimitExceeded || code === resultCode.adminLimitExceeded;
}

/** Returns the LDAP result code, or undefined if the directory sent no response. System errors have strings as codes. */
function toResultCode(error: unknown): number | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
}
