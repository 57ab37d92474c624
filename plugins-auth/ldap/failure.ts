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

/** Besides a wrong password: accounts that have none, are locked, or are gone by now. Directories differ in how they say it. */
const refusals: readonly number[] = [
	resultCode.invalidCredentials,
	resultCode.inappropriateAuthentication,
	resultCode.noSuchObject,
	resultCode.constraintViolation,
	resultCode.insufficientAccessRights,
	resultCode.unwillingToPerform,
];

/** The error for "cannot tell". Who signs in learns nothing about the directory; the reason is for the log. */
export function cannotTell(reason: string, cause?: unknown): SvcError {
	return new SvcError("SVC_UNAVAILABLE", "the directory cannot be asked at the moment", { cause: new Error(reason, { cause }) });
}

/** Whether the directory's answer to a bind means that this user may not sign in with this password. */
export function isRefusal(error: unknown): boolean {
	const code = toResultCode(error);
	return code !== undefined && refusals.includes(code);
}

/** Whether another server may do better: this one could not be reached, broke off, or says that it cannot serve now. */
export function isOutage(error: unknown): boolean {
	if (error instanceof SvcError) return false;
	const code = toResultCode(error);
	return code === undefined || code === resultCode.busy || code === resultCode.unavailable;
}

/** Returns true if the server answers with some of the entries only, because of a limit of its own. */
export function isSizeLimit(error: unknown): boolean {
	const code = toResultCode(error);
	return code === resultCode.sizeLimitExceeded || code === resultCode.adminLimitExceeded;
}

/** The number with which the directory answered; undefined when it did not. Errors of the system have words as codes. */
function toResultCode(error: unknown): number | undefined {
	return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
}
