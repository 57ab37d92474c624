/** Attribute type, "=", and a value in which commas, plus signs and backslashes are escaped. */
const assertion = /\s*([A-Za-z][\w-]*|\d+(?:\.\d+)*)\s*=\s*((?:\\(?:[\dA-Fa-f]{2}|[^\dA-Fa-f])|[^\\,+])*)/y;

/**
 * Returns the components of a distinguished name, the innermost first. They are normalized, so that equal components are equal strings:
 * lower case, escapes resolved, attributes of a component sorted. Returns undefined if the text is not a distinguished name.
 */
export function parseDn(text: string): readonly string[] | undefined {
	const parts: string[] = [];
	let attributes: string[] = [];
	let position = 0;
	for (;;) {
		assertion.lastIndex = position;
		const match = assertion.exec(text);
		if (match === null) return undefined;
		const [whole, type = "", value = ""] = match;
		attributes.push(JSON.stringify([type.toLowerCase(), unescapeValue(value).toLowerCase()]));
		position += whole.length;
		const separator = text[position];
		if (separator !== "+") {
			parts.push(attributes.sort().join("+"));
			attributes = [];
		}
		if (separator === undefined) return parts;
		if (separator !== "," && separator !== "+") return undefined;
		position += 1;
	}
}

function unescapeValue(raw: string): string {
	const trimmed = raw.trimEnd();
	// An escaped space at the end belongs to the value.
	const value = trimmed !== raw && /(?:^|[^\\])(?:\\\\)*\\$/.test(trimmed) ? `${trimmed} ` : trimmed;
	return value.replace(/((?:\\[\dA-Fa-f]{2})+)|\\(.)/gsu, (whole: string, bytes: string | undefined, character: string | undefined) =>
		bytes === undefined ? (character ?? "") : (decodeBytes(bytes) ?? whole),
	);
}

/** Decodes UTF-8 bytes. Returns undefined for invalid bytes: they stay escaped, so that different values stay different. */
function decodeBytes(escapes: string): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(escapes.replaceAll("\\", ""), "hex"));
	} catch {
		return undefined;
	}
}
