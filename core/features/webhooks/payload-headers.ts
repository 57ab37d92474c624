/** Headers that carry credentials of the service, or are used up by it (reference 2.4). */
export const credentialHeaders: ReadonlySet<string> = new Set([
	"x-auth-token",
	"svc-api-key",
	"svc-trace-tag",
	"cookie",
	"authorization",
	"proxy-authorization",
]);

/** Headers of a delivery as rules see them. */
export interface PayloadHeaders {
	/** Names in title case (`X-Github-Event`), whatever the sender wrote. */
	readonly headers: Readonly<Record<string, string>>;
	/** The same with names in lower case. */
	readonly headers_lower: Readonly<Record<string, string>>;
}

/**
 * Headers for the payload of a trigger, without credentials.
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

/** Senders use few names, again and again; what they make up must not fill the memory. */
const titles = new Map<string, string>();
const mostTitles = 1_000;
const longestTitle = 100;

function toTitleCase(name: string): string {
	const known = titles.get(name);
	if (known !== undefined) return known;
	const title = name.replace(/(^|-)([a-z])/g, (_match, dash: string, letter: string) => dash + letter.toUpperCase());
	if (titles.size < mostTitles && name.length <= longestTitle) titles.set(name, title);
	return title;
}
