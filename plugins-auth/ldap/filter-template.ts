/** Returns a search filter with the given values. Every value is escaped, so that it cannot change the filter. */
export type FilterTemplate<N extends string> = (values: Readonly<Record<N, string>>) => string;

/**
 * Compiles a search filter with placeholders such as `{username}`; literal braces are doubled. Throws an error for an unknown placeholder,
 * or if there is none: such a filter would find the same entries for all users.
 */
export function compileFilter<N extends string>(text: string, names: readonly N[]): FilterTemplate<N> {
	const allowed = names.map((name) => `{${name}}`).join(" and ");
	const parts: (string | { readonly name: N })[] = [];
	let end = 0;
	for (const match of text.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g)) {
		const [token, name] = match;
		parts.push(text.slice(end, match.index));
		end = match.index + token.length;
		if (token === "{{" || token === "}}") parts.push(token.charAt(0));
		else parts.push({ name: toKnown(name, names, allowed) });
	}
	parts.push(text.slice(end));
	if (parts.every((part) => typeof part === "string")) throw new Error(`must hold ${allowed.replace(" and ", " or ")}`);
	return (values) => parts.map((part) => (typeof part === "string" ? part : escapeValue(values[part.name]))).join("");
}

function toKnown<N extends string>(name: string | undefined, names: readonly N[], allowed: string): N {
	const known = names.find((each) => each === name);
	if (known === undefined) throw new Error(`only ${allowed} is replaced; other braces must be doubled`);
	return known;
}

/** Returns the value with the special characters of a search filter escaped (RFC 4515). */
export function escapeValue(value: string): string {
	return value.replace(/[\0()*\\]/g, (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
