/** Attribute type, "=", and a value in which the characters that part names are escaped. */
const assertion = /\s*([A-Za-z][\w-]*|\d+(?:\.\d+)*)\s*=\s*((?:\\(?:[\dA-Fa-f]{2}|[^\dA-Fa-f])|[^\\,+])*)/y;

/**
 * The parts of a distinguished name, the innermost first, in a form in which equal parts are equal texts: lower case, escapes
 * resolved, the attributes of a part sorted. Undefined when the text is no distinguished name.
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
	// The last space is part of the value when it is escaped.
	const value = trimmed !== raw && /(?:^|[^\\])(?:\\\\)*\\$/.test(trimmed) ? `${trimmed} ` : trimmed;
	return value.replace(/((?:\\[\dA-Fa-f]{2})+)|\\(.)/gsu, (whole: string, bytes: string | undefined, character: string | undefined) =>
		bytes === undefined ? (character ?? "") : (decodeBytes(bytes) ?? whole),
	);
}

/** Undefined for what is not text: it stays escaped, so that different values stay different. */
function decodeBytes(escapes: string): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(escapes.replaceAll("\\", ""), "hex"));
	} catch {
		return undefined;
	}
}
