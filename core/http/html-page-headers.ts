import { createHash } from "node:crypto";

/** Returns the headers of a page that runs no scripts and loads nothing. Its only style sheet is `style`, which is embedded in the page. */
export function toHtmlPageHeaders(style: string): Readonly<Record<string, string>> {
	const hash = createHash("sha256").update(style).digest("base64");
	return {
		"content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
		"referrer-policy": "no-referrer",
	};
}
