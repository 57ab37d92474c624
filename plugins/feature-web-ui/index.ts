import type { AuthBackend, Options } from "../../core/contract/index.ts";
import { defineFeature, type Reply, replyContent } from "../../core/feature.ts";
import { replySiteFile } from "./docs-routes.ts";
import { findSiteProblems } from "./docs-site.ts";
import { assets, webRoutes } from "./routes.ts";

/** The web page of the service, at its root. Its source is in `web`. */
export const webUi = () =>
	defineFeature({
		name: "webUi",
		findProblems: (_config, { webui }) => findSiteProblems(webui.docs_dir),
		create({ options, authBackend }) {
			const { index } = assets;
			const { enable, docs_dir } = options.webui;
			return {
				api: {},
				routes: webRoutes,
				...(enable && docs_dir !== "" && { documentation: (request: Request) => replySiteFile(docs_dir, "", request) }),
				...(enable && index !== undefined && { page: (features) => replyPage(index, options, { authBackend, features }) }),
			};
		},
	});

/**
 * Content security policy. The page may load from and connect to its own origin only, and runs no inline script. Therefore the browser
 * neither runs a script that a user has stored in a record, nor sends data to another origin. `trusted-types 'none'`: the page cannot turn
 * any string into markup.
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

/** Method of signing in. The page needs it before the user has signed in. */
type SignInWay = "none" | "password" | "proxy";

/** What the page is told besides options. */
interface PageSettings {
	readonly authBackend?: AuthBackend | undefined;
	/** Names of the features of the service. */
	readonly features: readonly string[];
}

/**
 * Returns the page with the sign-in settings and the features of the service filled in.
 *
 * @param index HTML that the build produced
 */
export function replyPage(index: string, options: Options, { authBackend, features }: PageSettings): Reply {
	const way = toSignInWay(options);
	const provider = way === "password" ? (authBackend?.interactive?.label ?? "") : "";
	const html = index
		.replace("%SIGN_IN%", way)
		.replace("%MAX_PAGE_SIZE%", String(options.api.max_page_size))
		.replace("%PASSWORDS%", String(takesPasswords(options, authBackend)))
		.replace("%DOCS%", options.webui.docs_dir === "" ? "" : "docs/")
		.replace("%FEATURES%", () => escapeAttribute(features.join(" ")))
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
