/** Return codes of Linux-PAM that are used here. */
export const pamStatus = {
	success: 0,
	permissionDenied: 6,
	wrongPassword: 7,
	unknownUser: 10,
	tooManyTries: 11,
	passwordExpired: 12,
	accountExpired: 13,
	conversationFailed: 19,
} as const;

const refusals: ReadonlySet<number> = new Set([
	pamStatus.permissionDenied,
	pamStatus.wrongPassword,
	pamStatus.unknownUser,
	pamStatus.tooManyTries,
	pamStatus.passwordExpired,
	pamStatus.accountExpired,
]);

/** Returns true if PAM refused the sign-in. Every other status except success means that PAM could not decide. */
export function isRefusal(status: number): boolean {
	return refusals.has(status);
}
