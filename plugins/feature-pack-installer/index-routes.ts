import { SvcError } from "../../core/contract/index.ts";
import {
	answerJson,
	arrayOf,
	createRouteDeclarations,
	defineBody,
	defineSchema,
	enumOf,
	integerSchema,
	jsonObject,
	mapOf,
	nullable,
	objectSchema,
	replyJson,
	stringSchema,
} from "../../core/feature.ts";
import type { PackInstallerApi } from "./api.ts";

const example = { url: "https://packs.example.org/index.json", packs: 2, message: "Success.", error: null };

const statusSchema = defineSchema(
	"PackIndexStatus",
	objectSchema({
		url: stringSchema,
		packs: integerSchema,
		message: stringSchema,
		error: nullable(enumOf("unresponsive", "malformed", "empty")),
	}),
	example,
);

/** Wire schema of the packs of all indexes, by name, with the result of reading each index. */
const indexSchema = defineSchema("PackIndex", objectSchema({ status: arrayOf(statusSchema), index: mapOf(jsonObject) }), {
	status: [example],
	index: { disk: { name: "disk", version: "1.4.0", repo_url: "https://git.example.org/disk.git" } },
});

/** Wire schema of the health of the indexes. */
const indexHealthSchema = defineSchema(
	"PackIndexHealth",
	objectSchema({
		indexes: objectSchema({
			count: integerSchema,
			valid: integerSchema,
			invalid: integerSchema,
			errors: mapOf(integerSchema),
			status: arrayOf(statusSchema),
		}),
		packs: objectSchema({ count: integerSchema }),
	}),
	{ indexes: { count: 1, valid: 1, invalid: 0, errors: {}, status: [example] }, packs: { count: 2 } },
);

/** Wire schema of search results: a list for a word, an entry for a name. */
const searchSchema = defineSchema("PackIndexSearch", { anyOf: [arrayOf(jsonObject), jsonObject] }, [
	{ name: "disk", version: "1.4.0", repo_url: "https://git.example.org/disk.git" },
]);

const { defineRoute } = createRouteDeclarations<Pick<PackInstallerApi, "packIndex">>();

interface Search {
	readonly query?: string;
	readonly pack?: string;
}

const searchBody = defineBody<Search>({ properties: { query: { type: "string" }, pack: { type: "string" } }, closed: true });

export const packIndexRoutes = [
	defineRoute({
		method: "GET",
		path: "/packs/index",
		summary: "List packs that can be installed by name",
		description: "The packs of all configured indexes. The status of each index shows whether it could be read.",
		answers: { 200: answerJson(indexSchema) },
		permission: "pack_search",
		handler: async ({ engine }) => replyJson(await engine.packIndex.get()),
	}),
	defineRoute({
		method: "POST",
		path: "/packs/index/search",
		summary: "Search packs that can be installed by name",
		description: "`query`: a word to search for; returns a list. `pack`: a name; returns its entry, or an empty list.",
		answers: { 200: answerJson(searchSchema) },
		permission: "pack_search",
		body: searchBody,
		async handler({ engine, body: { query, pack } }) {
			if (query !== undefined && pack !== undefined) throw new SvcError("SVC_INVALID", "query, pack: only one of them may be set");
			if (pack !== undefined) return replyJson((await engine.packIndex.show(pack)) ?? []);
			if (query === undefined) throw new SvcError("SVC_INVALID", "query, pack: one of them is required");
			return replyJson(await engine.packIndex.search(query));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/packs/index/health",
		summary: "Get the status of the pack indexes",
		answers: { 200: answerJson(indexHealthSchema) },
		permission: "pack_views_index_health",
		handler: async ({ engine }) => replyJson(await engine.packIndex.health()),
	}),
];
