/** Returns an error message if sudo's output reports a wrong password; otherwise undefined. */
export function findSudoRefusal(stderr: string): string | undefined {
	if (!/sudo: \d+ incorrect password attempts?/.test(stderr)) return undefined;
	const [, user = "unknown"] = /\[sudo\] password for (.+?):/.exec(stderr) ?? [];
	return `Invalid sudo password provided or sudo is not configured for this user (${user})`;
}
