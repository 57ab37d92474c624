/** Whether a list of patterns with `*`, `?` and `!`, as ssh's files have them, names a host. */
export function matchesPatterns(patterns: readonly string[], name: string): boolean {
	let matches = false;
	for (const pattern of patterns) {
		if (pattern.startsWith("!") && matchesPattern(pattern.slice(1), name)) return false;
		if (matchesPattern(pattern, name)) matches = true;
	}
	return matches;
}

function matchesPattern(pattern: string, name: string): boolean {
	const source = pattern
		.replace(/[.+^${}()|[\]\\]/g, "\\$&")
		.replace(/\*+/g, ".*")
		.replaceAll("?", ".");
	return new RegExp(`^${source}$`, "i").test(name);
}
