import { SvcError } from "../../contract/index.ts";
import { defineBody } from "../../http/body.ts";
import { answerJson } from "../../http/openapi/responses.ts";
import { replyJson } from "../../http/replies.ts";
import { routesOver } from "../../http/route.ts";
import { indexHealthSchema, indexSchema, searchSchema } from "./index-schemas.ts";
import type { PackIndexes } from "./pack-index-api.ts";

/** Engine members used by the routes. */
interface RouteNeeds {
	readonly packIndex: PackIndexes;
}

const { defineRoute } = routesOver<RouteNeeds>();

interface Search {
	readonly query?: string;
	readonly pack?: string;
}

const searchBody = defineBody<Search>({ properties: { query: { type: "string" }, pack: { type: "string" } }, closed: true });

export const packIndexRoutes = [
	defineRoute({
		method: "GET",
		path: "/packs/index",
		component: "api",
		summary: "List packs that can be installed by name",
		description: "What the configured indexes have together; an index that cannot be reached says so in its status.",
		answers: { 200: answerJson(indexSchema) },
		permission: "pack_search",
		handler: async ({ engine }) => replyJson(await engine.packIndex.get()),
	}),
	defineRoute({
		method: "POST",
		path: "/packs/index/search",
		component: "api",
		summary: "Search packs that can be installed by name",
		description: "`query` is a word, and the answer a list; `pack` is a name, and the answer its entry, or an empty list.",
		answers: { 200: answerJson(searchSchema) },
		permission: "pack_search",
		body: searchBody,
		async handler({ engine, body: { query, pack } }) {
			if (query !== undefined && pack !== undefined) throw new SvcError("SVC_INVALID", "query, pack: only one of them may be given");
			if (pack !== undefined) return replyJson((await engine.packIndex.show(pack)) ?? []);
			if (query === undefined) throw new SvcError("SVC_INVALID", "query, pack: one of them is required");
			return replyJson(await engine.packIndex.search(query));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/packs/index/health",
		component: "api",
		summary: "Get the health of the indexes of packs",
		answers: { 200: answerJson(indexHealthSchema) },
		permission: "pack_views_index_health",
		handler: async ({ engine }) => replyJson(await engine.packIndex.health()),
	}),
];
