/** Headers that authenticate a caller to this service, or that the service reads itself. Payloads leave them out. */
export const credentialHeaders: ReadonlySet<string> = new Set([
	"x-auth-token",
	"svc-api-key",
	"svc-trace-tag",
	"cookie",
	"authorization",
	"proxy-authorization",
]);

/** Headers of a delivery in the form that rules read. */
export interface PayloadHeaders {
	/** Headers with their names in title case (`X-Github-Event`), independent of the sender's spelling. */
	readonly headers: Readonly<Record<string, string>>;
	/** Headers with their names in lower case. */
	readonly headers_lower: Readonly<Record<string, string>>;
}

/**
 * Returns the headers for the payload of a trigger, without credentials.
 *
 * @param lower headers by their name in lower case
 * @param secret one more header to leave out
 */
export function toPayloadHeaders(lower: Readonly<Record<string, string>>, secret?: string): PayloadHeaders {
	const entries = Object.entries(lower).filter(([name]) => !credentialHeaders.has(name) && name !== secret);
	return {
		headers: Object.fromEntries(entries.map(([name, value]) => [toTitleCase(name), value])),
		headers_lower: Object.fromEntries(entries),
	};
}

/** Cache of names in title case. Senders repeat a few names; the limits keep invented names from filling the memory. */
const titles = new Map<string, string>();
const maxTitles = 1_000;
const maxTitleLength = 100;

function toTitleCase(name: string): string {
	const known = titles.get(name);
	if (known !== undefined) return known;
	const title = name.replace(/(^|-)([a-z])/g, (_match, dash: string, letter: string) => dash + letter.toUpperCase());
	if (titles.size < maxTitles && name.length <= maxTitleLength) titles.set(name, title);
	return title;
}
