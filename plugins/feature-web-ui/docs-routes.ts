import { SvcError } from "../../core/contract/index.ts";
import { answerFault, answerNothing, answerText, createRouteDeclarations, type Reply, type RouteContext } from "../../core/feature.ts";
import { type SiteFile, SiteFiles, siteTypes } from "./docs-site.ts";

const { defineRoute } = createRouteDeclarations<unknown>();

/**
 * Content security policy of the documentation. It may load from and connect to its own origin only, and runs no inline script. Style sheets
 * are files too; only attributes may contain styles, because the colors of highlighted code are in attributes.
 */
const policy = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"style-src-attr 'unsafe-inline'",
	"img-src 'self' data:",
	"font-src 'self'",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

const siteFiles = new SiteFiles();
const siteHeaders = { "content-security-policy": policy, "referrer-policy": "same-origin", "x-content-type-options": "nosniff" };

/**
 * Returns the reply to a request for a file of the site: the file, 304 if the client has it, or 404 with the site's own page. Throws
 * `SVC_NOT_FOUND` if the site has no such page.
 *
 * @param path path relative to the root of the site; empty for the home page
 */
export async function replySiteFile(directory: string, path: string, { headers }: Pick<Request, "headers">): Promise<Reply> {
	const file = await siteFiles.read(directory, path);
	if (file !== undefined) return isFresh(file, headers) ? { ...toReply(file, 304), body: null } : toReply(file, 200);
	const page = await siteFiles.read(directory, "404.html");
	if (page === undefined) throw new SvcError("SVC_NOT_FOUND", `the documentation has no file "${path}"`);
	return toReply({ ...page, isImmutable: false }, 404);
}

function isFresh({ etag }: SiteFile, headers: Headers): boolean {
	const tags = (headers.get("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
	return tags.includes(etag) || tags.includes("*");
}

function toReply({ type, body, etag, isImmutable }: SiteFile, status: number): Reply {
	const headers = {
		...siteHeaders,
		"content-type": type,
		"content-length": String(body.length),
		"cache-control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
		...(status !== 404 && { etag }),
	};
	return { status, headers, body };
}

/**
 * Returns the path of a file, with the slash at the end that the router drops. A path with the escape of a separator, of a null character or of
 * a percent sign is returned with its escapes, and then names no file: `%2f` must not become a separator.
 */
function toRawPath(decoded: string, { url }: Pick<Request, "url">): string {
	const { pathname } = new URL(url);
	if (/%(?:2f|5c|00|25)/i.test(pathname)) return pathname;
	return pathname.endsWith("/") ? `${decoded}/` : decoded;
}

const notFound = answerFault("There is no such file, or the service has no documentation.");

/** The declaration that both methods have in common. */
const siteFile = {
	path: "/docs/**:file",
	answers: {
		200: answerText(siteTypes, "The file.", "<!doctype html>"),
		304: answerNothing("The client has the file already (`If-None-Match`)."),
		404: { ...notFound, content: { ...notFound.content, ...answerText(["text/html"], "", "<!doctype html>").content } },
		500: undefined,
	},
	permission: "public",
	handler({ options, path, request }: RouteContext): Promise<Reply> {
		const { enable, docs_dir } = options.webui;
		if (!enable || docs_dir === "") throw new SvcError("SVC_NOT_FOUND", "the service has no documentation; see webui.docs_dir");
		return replySiteFile(docs_dir, toRawPath(path["file"] ?? "", request), request);
	},
} as const;

/** Routes for the files of the documentation in `webui.docs_dir`. */
export const docsRoutes = [
	defineRoute({
		method: "GET",
		summary: "Get a file of the documentation",
		description: "The site is at `/docs/`, if `webui.docs_dir` names one.",
		...siteFile,
	}),
	defineRoute({ method: "HEAD", summary: "Get the headers of a file of the documentation", ...siteFile }),
];
