/** Table of a kind: its plural, which is no reserved word of SQL where the singular (`user`) is. */
export function toTable(kind: string): string {
	if (/[^aeiou]y$/.test(kind)) return `${kind.slice(0, -1)}ies`;
	return /(s|x|ch|sh)$/.test(kind) ? `${kind}es` : `${kind}s`;
}
