import type { AuthBackend, Options } from "../../contract/index.ts";
import { type Reply, replyContent } from "../../http/replies.ts";

/**
 * The page may load and ask its own origin only, and runs nothing that stands in a text: whatever somebody manages to store in a record,
 * the browser does not run it, and sends nothing elsewhere. `trusted-types 'none'`: no text becomes markup at all.
 */
const policy = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"img-src 'self' data:",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
].join("; ");

const headers = {
	"content-security-policy": policy,
	"referrer-policy": "same-origin",
	"cache-control": "no-cache",
	vary: "Accept, Origin",
};

/** How somebody signs in, which the page has to know before they have. */
type SignInWay = "none" | "password" | "proxy";

/** The page as it is sent. @param index what the build has made */
export function replyPage(index: string, options: Options, authBackend?: AuthBackend): Reply {
	const way = toSignInWay(options);
	const provider = way === "password" ? (authBackend?.interactive?.label ?? "") : "";
	const html = index
		.replace("%SIGN_IN%", way)
		.replace("%PASSWORDS%", String(takesPasswords(options, authBackend)))
		.replace("%PROVIDER%", () => escapeAttribute(provider));
	return replyContent(html, "text/html; charset=UTF-8", headers);
}

function escapeAttribute(value: string): string {
	return value.replace(/[&"<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function toSignInWay({ auth }: Options): SignInWay {
	if (!auth.enable) return "none";
	return auth.mode === "proxy" ? "proxy" : "password";
}

function takesPasswords({ auth }: Options, authBackend: AuthBackend | undefined): boolean {
	return auth.mode === "proxy" ? auth.proxy_basic : authBackend?.takesPasswords !== false;
}
