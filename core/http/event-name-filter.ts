/**
 * Returns the event bus subscription for a name pattern. The bus only supports `*` at the end, so received names must also be checked with
 * `toNameMatcher`.
 */
export function toBusPattern(name: string): string {
	const wildcard = name.search(/[*?[]/);
	return wildcard === -1 ? name : `${name.slice(0, wildcard)}*`;
}

/** Returns a function that returns true for a name that matches one of the patterns. */
export function toNameMatcher(patterns: readonly string[]): (name: string) => boolean {
	const exactNames = new Set(patterns);
	const wildcardPatterns = patterns.filter((pattern) => /[*?[]/.test(pattern)).map(tokenize);
	return (name) => exactNames.has(name) || wildcardPatterns.some((pattern) => matches(pattern, name));
}

type Token = { readonly kind: "any" } | { readonly kind: "one"; readonly accepts: (character: string) => boolean };

/**
 * Parses a shell-style pattern with `*`, `?` and `[…]`. It is not converted to a regular expression, because a client could exploit the
 * backtracking.
 */
function tokenize(pattern: string): readonly Token[] {
	const parts = pattern.match(/\*+|\[!?[^\]]+\]|[\s\S]/g) ?? [];
	return parts.map((part): Token => {
		if (part.startsWith("*")) return { kind: "any" };
		if (part === "?") return { kind: "one", accepts: () => true };
		if (part.length === 1) return { kind: "one", accepts: (character) => character === part };
		const isNegated = part[1] === "!";
		const set = part.slice(isNegated ? 2 : 1, -1);
		return { kind: "one", accepts: (character) => isInSet(set, character) !== isNegated };
	});
}

function isInSet(set: string, character: string): boolean {
	for (let index = 0; index < set.length; index += 1) {
		const end = set[index + 1] === "-" ? set[index + 2] : undefined;
		if (end !== undefined) {
			if (character >= (set[index] ?? "") && character <= end) return true;
			index += 2;
		} else if (set[index] === character) return true;
	}
	return false;
}

/** Matches greedily with a single backtracking point, so that the time is bounded by the product of both lengths. */
function matches(pattern: readonly Token[], name: string): boolean {
	let token = 0;
	let backtrack: { readonly token: number; index: number } | undefined;
	let index = 0;
	while (index < name.length) {
		const current = pattern[token];
		if (current?.kind === "any") {
			backtrack = { token: token + 1, index };
			token += 1;
		} else if (current?.accepts(name[index] ?? "")) {
			token += 1;
			index += 1;
		} else if (backtrack !== undefined) {
			backtrack.index += 1;
			index = backtrack.index;
			token = backtrack.token;
		} else return false;
	}
	while (pattern[token]?.kind === "any") token += 1;
	return token === pattern.length;
}
