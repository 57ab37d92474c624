/** What a browser keeps while somebody signs in elsewhere. */
export interface KeptSignIn {
	/** What the provider sends back: whoever comes back with another one has begun in another browser. */
	readonly state: string;
	/** Of the backend. */
	readonly kept: string;
	/** Of the page, where somebody wanted to be. */
	readonly place: string;
}

const longestPlace = 1_000;
const longestKept = 4_000;

/** As text of a cookie. */
export function writeKept(kept: KeptSignIn): string {
	return Buffer.from(JSON.stringify(kept)).toString("base64url");
}

/** Undefined for what this service has not written, whoever did. */
export function readKept(text: string | undefined): KeptSignIn | undefined {
	if (text === undefined || text.length > longestKept) return undefined;
	try {
		const { state, kept, place } = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Partial<
			Record<keyof KeptSignIn, unknown>
		>;
		if (!isToken(state) || !isToken(kept) || typeof place !== "string") return undefined;
		return { state, kept, place: toPlace(place) };
	} catch {
		return undefined;
	}
}

/**
 * A place of the page, as it stands behind its `#`: nothing of it leads to another host, whatever it says. What cannot stand in a header
 * is the start of the page.
 */
export function toPlace(place: string): string {
	return place.length <= longestPlace && /^\/[!-~]*$/.test(place) ? place : "/";
}

function isToken(value: unknown): value is string {
	return typeof value === "string" && /^[\w.~-]{1,1000}$/.test(value);
}
