/** Returns the table name of a kind. It is the plural, because a singular such as `user` can be a reserved word of SQL. */
export function toTable(kind: string): string {
	if (/[^aeiou]y$/.test(kind)) return `${kind.slice(0, -1)}ies`;
	return /(s|x|ch|sh)$/.test(kind) ? `${kind}es` : `${kind}s`;
}
