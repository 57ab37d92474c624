/** Minimum characters of a secret. Masking shorter values would mask ordinary words. */
export const minSecretLength = 4;
/** Minimum characters of a line of a multi-line secret. Shorter lines are brackets and the like. */
const minLineLength = 6;
/** Maximum characters of a value for which all encodings are searched. */
const maxFullyEncodedLength = 1_024;

/**
 * Returns all encodings in which a value may appear in output.
 *
 * They are the value itself, JSON, Python literals, shell quotes, URL encodings, base64, and all of these for each of its lines and JSON
 * strings.
 */
export function toEncodings(value: string): ReadonlySet<string> {
	const encodings = new Set<string>();
	const lines = value.split(/[\r\n]+/).map((line) => line.trim());
	const parts = [...(lines.length > 1 ? lines.filter(({ length }) => length >= minLineLength) : []), ...findJsonStrings(value)];
	for (const text of [value, value.trim(), ...parts]) addTextEncodings(text, encodings);
	for (const text of [value.trim(), ...parts]) addBase64(text, encodings);
	return encodings;
}

/** Returns the strings of a value that is JSON, because programs that read it use them separately. */
function findJsonStrings(value: string): readonly string[] {
	if (!/^\s*[[{]/.test(value)) return [];
	const texts: string[] = [];
	try {
		JSON.parse(value, (_, member: unknown) => {
			if (typeof member === "string") texts.push(member);
			return member;
		});
	} catch {
		// The value is not JSON, so it has no JSON strings.
	}
	return texts;
}

/** Returns the encodings of a string that needs no escapes in any language, such as the token of a run. */
export function toPlainEncodings(value: string): ReadonlySet<string> {
	const encodings = new Set([value]);
	addBase64(value, encodings);
	return encodings;
}

/** Returns true if a string is long enough to be searched for. */
export function isLongEnough(value: string): boolean {
	return value.trim().length >= minSecretLength;
}

function addTextEncodings(text: string, encodings: Set<string>): void {
	if (text.length < minSecretLength) return;
	const json = escapeJson(text);
	encodings.add(text).add(json);
	if (text.length > maxFullyEncodedLength) return;
	// JSON within a JSON string, as in a result that a command printed.
	encodings.add(escapeJson(json));
	encodings.add(escapeNonAscii(json)).add(escapeJson(escapeNonAscii(json)));
	encodings.add(escapePython(text));
	encodings.add(text.replaceAll("'", "'\\''")).add(text.replaceAll("'", `'"'"'`));
	// A lone surrogate has no URL encoding.
	const wellFormed = Buffer.from(text).toString();
	encodings.add(encodeURIComponent(wellFormed)).add(encodeURIComponent(wellFormed).replaceAll("'", "%27"));
	encodings.add(new URLSearchParams([["", wellFormed]]).toString().slice(1));
}

function escapeJson(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

function escapeNonAscii(text: string): string {
	return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Escapes a string for a Python literal in single quotes. */
function escapePython(text: string): string {
	return escapeJson(text).replaceAll('\\"', '"').replaceAll("'", "\\'");
}

/**
 * Adds the three base64 encodings of a value, which depend on the number of preceding bytes, as in `Basic` credentials.
 *
 * Characters at both ends that depend on adjacent bytes are omitted. For a long value, only the first encoding is added.
 */
function addBase64(value: string, encodings: Set<string>): void {
	const bytes = Buffer.from(value);
	for (const shift of value.length > maxFullyEncodedLength ? [0] : [0, 1, 2]) {
		const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
			.toString("base64")
			.replace(/=+$/, "");
		const start = shift === 0 ? 0 : shift + 1;
		const independentPart = encoded.slice(start, Math.floor(((shift + bytes.length) * 8) / 6));
		if (independentPart.length < minSecretLength * 2) continue;
		encodings.add(independentPart).add(independentPart.replaceAll("+", "-").replaceAll("/", "_"));
	}
}
