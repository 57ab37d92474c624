/** What sudo's own output says about a wrong password, in words for the result. */
export function findSudoRefusal(stderr: string): string | undefined {
	if (!/sudo: \d+ incorrect password attempts?/.test(stderr)) return undefined;
	const [, user = "unknown"] = /\[sudo\] password for (.+?):/.exec(stderr) ?? [];
	return `Invalid sudo password provided or sudo is not configured for this user (${user})`;
}
