/** Returns true if a host name matches a list of patterns with `*`, `?` and `!`, as in ssh_config and known_hosts. */
export function matchesPatterns(patterns: readonly string[], name: string): boolean {
	let matches = false;
	for (const pattern of patterns) {
		if (pattern.startsWith("!") && matchesPattern(pattern.slice(1), name)) return false;
		if (matchesPattern(pattern, name)) matches = true;
	}
	return matches;
}

/** Matches one pattern. A regular expression would take exponential time for many stars; this loop only returns to the last star. */
function matchesPattern(pattern: string, name: string): boolean {
	const [wanted, given] = [pattern.toLowerCase(), name.toLowerCase()];
	let index = 0;
	let star = -1;
	let taken = 0;
	for (let position = 0; position < given.length; ) {
		if (wanted[index] === "*") {
			star = index++;
			taken = position;
		} else if (wanted[index] === "?" || wanted[index] === given[position]) {
			index++;
			position++;
		} else if (star >= 0) {
			index = star + 1;
			position = ++taken;
		} else return false;
	}
	return /^\**$/.test(wanted.slice(index));
}
