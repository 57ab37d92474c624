import { createHash } from "node:crypto";

/** Headers of a page that runs nothing and loads nothing: what it looks like is in it. */
export function toPageHeaders(style: string): Readonly<Record<string, string>> {
	const hash = createHash("sha256").update(style).digest("base64");
	return {
		"content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
		"referrer-policy": "no-referrer",
	};
}
