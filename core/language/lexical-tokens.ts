/**
 * Returns the kind and the string of the token at a position, or undefined if there is none. The first pattern that matches there decides.
 * All patterns must be sticky.
 */
export function matchToken<K extends string>(
	patterns: Readonly<Record<K, RegExp>>,
	source: string,
	position: number,
): { readonly kind: K; readonly text: string } | undefined {
	for (const kind in patterns) {
		const pattern = patterns[kind];
		pattern.lastIndex = position;
		const text = pattern.exec(source)?.[0];
		if (text !== undefined) return { kind, text };
	}
	return undefined;
}

const escapes: ReadonlyMap<string, string> = new Map(
	Object.entries({ "\\": "\\", "'": "'", '"': '"', a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }),
);

/** Returns what a backslash and one character stand for in a string literal, as in Python; undefined if that is no escape. */
export function resolveEscape(character: string): string | undefined {
	return escapes.get(character);
}
