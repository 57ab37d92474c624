import type { Undici } from "./connections.ts";

interface KeptCookie {
	readonly origin: string;
	readonly path: string;
	readonly isSecure: boolean;
	readonly value: string;
}

/**
 * Cookies that the answers of one run set, for the requests that its redirects lead to. They are sent to the host that has set them, and to no
 * other, whatever their `Domain` allows.
 */
export class RedirectCookies {
	readonly #undici: Undici;
	readonly #kept = new Map<string, Map<string, KeptCookie>>();

	constructor(undici: Undici) {
		this.#undici = undici;
	}

	/** @param lines values of the headers `Set-Cookie` of an answer */
	add(url: URL, lines: readonly string[]): void {
		const headers = new this.#undici.Headers(lines.map((line) => ["set-cookie", line]));
		const cookies = this.#kept.get(url.hostname) ?? new Map<string, KeptCookie>();
		this.#kept.set(url.hostname, cookies);
		for (const { name, value, path, maxAge, expires, secure = false } of this.#undici.getSetCookies(headers)) {
			const isOver = maxAge !== undefined ? maxAge <= 0 : expires !== undefined && Number(expires) <= Date.now();
			if (isOver) cookies.delete(name);
			else cookies.set(name, { origin: url.origin, path: path ?? defaultPath(url), isSecure: secure, value });
		}
	}

	/** Returns the value of the header `Cookie` for a request: what the action gives, unless an answer has set it anew, and what answers have set. */
	headerFor(url: URL, given: string | undefined): string | undefined {
		const kept = [...(this.#kept.get(url.hostname) ?? [])].filter(([, cookie]) => isFor(cookie, url));
		const names = new Set(kept.map(([name]) => name));
		const own = (given ?? "").split("; ").filter((pair) => pair !== "" && !names.has(pair.split("=", 1)[0] ?? ""));
		const all = [...own, ...kept.map(([name, { value }]) => `${name}=${value}`)];
		return all.length === 0 ? undefined : all.join("; ");
	}
}

function isFor({ path, isSecure, origin }: KeptCookie, url: URL): boolean {
	const isWithin = url.pathname === path || url.pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
	// A cookie that was set over an encrypted connection is not sent over an unencrypted one.
	const isEncrypted = url.protocol === "https:";
	return isWithin && (isEncrypted || !(isSecure || origin.startsWith("https:")));
}

function defaultPath({ pathname }: URL): string {
	return pathname.slice(0, pathname.lastIndexOf("/")) || "/";
}
