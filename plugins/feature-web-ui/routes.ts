import { SvcError } from "../../core/contract/index.ts";
import { answerText, createRouteDeclarations, type RouteContext, replyContent } from "../../core/feature.ts";
import { Assets, type Encoding } from "./assets.ts";
import { docsRoutes } from "./docs-routes.ts";

const { defineRoute } = createRouteDeclarations<unknown>();

/** One instance for all requests, because the files are the same for every user. */
export const assets = new Assets();

/** Routes for the files that the web page loads, and for those of the documentation. */
export const webRoutes = [
	defineRoute({
		method: "GET",
		path: "/web/:file",
		summary: "Get a file of the web page",
		description: "The file name contains a hash of the contents, so the file may be cached forever. The page itself is at `/`.",
		answers: {
			200: answerText(["text/javascript", "text/css", "image/svg+xml"], "The file.", "text"),
			500: undefined,
		},
		permission: "public",
		async handler({ options, path, request }) {
			const name = path["file"] ?? "";
			const encoding = chooseEncoding(request);
			const asset = options.webui.enable ? await assets.find(name, encoding) : undefined;
			if (asset === undefined) throw new SvcError("SVC_NOT_FOUND", `the web page has no file "${name}"`);
			return replyContent(asset.body, asset.type, {
				"cache-control": "public, max-age=31536000, immutable",
				"content-length": String(asset.body.length),
				vary: "Accept-Encoding",
				...(encoding !== "identity" && { "content-encoding": encoding }),
			});
		},
	}),
	...docsRoutes,
];

/** Returns the smallest encoding that the client accepts. An encoding with `q=0` is not accepted. */
function chooseEncoding({ headers }: RouteContext["request"]): Encoding {
	const taken = (headers.get("accept-encoding") ?? "")
		.toLowerCase()
		.split(",")
		.map((entry) => entry.replaceAll(" ", ""))
		.filter((entry) => !/;q=0(\.0*)?$/.test(entry))
		.map((entry) => entry.split(";", 1)[0]);
	if (taken.includes("br")) return "br";
	return taken.includes("gzip") ? "gzip" : "identity";
}
