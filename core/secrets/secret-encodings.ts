/** Shorter values are not looked for: they would blank out ordinary words. */
export const shortestSecret = 4;
/** Shorter lines of a value of several are no secrets by themselves: brackets and the like. */
const shortestLine = 6;
/** Of longer values fewer forms are looked for. */
const longValue = 1_024;

/** The ways a value may be written in a text: as it is, in JSON, in literals of Python, in addresses, in base64, and each of its lines. */
export function toForms(value: string): ReadonlySet<string> {
	const forms = new Set<string>();
	const lines = value.split(/[\r\n]+/).map((line) => line.trim());
	const parts = [...(lines.length > 1 ? lines.filter(({ length }) => length >= shortestLine) : []), ...findTexts(value)];
	for (const text of [value, value.trim(), ...parts]) addWritten(text, forms);
	for (const text of [value.trim(), ...parts]) addBase64(text, forms);
	return forms;
}

/** The texts of a value that is JSON: what reads it uses them one by one. */
function findTexts(value: string): readonly string[] {
	if (!/^\s*[[{]/.test(value)) return [];
	const texts: string[] = [];
	try {
		JSON.parse(value, (_, member: unknown) => {
			if (typeof member === "string") texts.push(member);
			return member;
		});
	} catch {
		// No JSON, whose lines are looked for all the same.
	}
	return texts;
}

/** Those of a text that every language writes as it is, such as the token of a run. */
export function toPlainForms(value: string): ReadonlySet<string> {
	const forms = new Set([value]);
	addBase64(value, forms);
	return forms;
}

/** Whether a text is long enough to be looked for. */
export function isLookedFor(value: string): boolean {
	return value.trim().length >= shortestSecret;
}

function addWritten(text: string, forms: Set<string>): void {
	if (text.length < shortestSecret) return;
	const json = toJsonInner(text);
	forms.add(text).add(json);
	if (text.length > longValue) return;
	// A text in JSON that is itself a text in JSON, as in a result that a command printed.
	forms.add(toJsonInner(json));
	forms.add(toAscii(json)).add(toJsonInner(toAscii(json)));
	forms.add(toPython(text));
	forms.add(text.replaceAll("'", "'\\''")).add(text.replaceAll("'", `'"'"'`));
	// Half a pair of surrogates has no form in an address.
	const wellFormed = Buffer.from(text).toString();
	forms.add(encodeURIComponent(wellFormed)).add(encodeURIComponent(wellFormed).replaceAll("'", "%27"));
	forms.add(new URLSearchParams([["", wellFormed]]).toString().slice(1));
}

function toJsonInner(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

function toAscii(text: string): string {
	return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Within single quotes. */
function toPython(text: string): string {
	return toJsonInner(text).replaceAll('\\"', '"').replaceAll("'", "\\'");
}

/**
 * In base64 a value looks in three ways, by what stands before it, as in `Basic` credentials. The characters at its ends that depend on
 * its neighbours are left out.
 */
function addBase64(value: string, forms: Set<string>): void {
	const bytes = Buffer.from(value);
	for (const shift of value.length > longValue ? [0] : [0, 1, 2]) {
		const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
			.toString("base64")
			.replace(/=+$/, "");
		const from = shift === 0 ? 0 : shift + 1;
		const whole = encoded.slice(from, Math.floor(((shift + bytes.length) * 8) / 6));
		if (whole.length < shortestSecret * 2) continue;
		forms.add(whole).add(whole.replaceAll("+", "-").replaceAll("/", "_"));
	}
}
