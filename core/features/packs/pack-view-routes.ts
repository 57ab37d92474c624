import { extname } from "node:path";
import { packKind } from "../../contract/entities/pack.ts";
import { parseSelection, selectionQuery } from "../../http/field-selection.ts";
import { answerJson, answerNothing, answerSelectedPage, answerText, describeList } from "../../http/openapi/responses.ts";
import {
	arrayOf,
	defineSchema,
	fieldsOf,
	jsonObject,
	jsonValue,
	nullable,
	objectSchema,
	stringSchema,
	timestamp,
} from "../../http/openapi/schema-builders.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import { type Reply, replyContent, replyJson } from "../../http/replies.ts";
import { replyList, selectionRulesOf } from "../../http/reply-list.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { parseSort } from "../../http/sort.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import type { FollowedDependencies } from "./followed-pack-guard-exports.ts";
import type { PackFile, Packs } from "./pack-views-exports.ts";
import { manifestMembers, ownMembers, toPackFields, toPackRecord } from "./registration/pack-records.ts";
import { followedState } from "./schemas.ts";

const members = {
	...fieldsOf(packKind, ["id", "ref", "name", "description", "version", "author", "path", "content"]),
	uid: stringSchema,
	keywords: arrayOf(jsonValue),
	svc_version: stringSchema,
	python_versions: arrayOf(jsonValue),
	email: stringSchema,
	contributors: arrayOf(jsonValue),
	dependencies: arrayOf(jsonValue),
	files: arrayOf(stringSchema),
	system: jsonObject,
	source: jsonObject,
	installation: jsonObject,
	followed: objectSchema({
		source: stringSchema,
		state: followedState,
		commit: nullable(stringSchema),
		reason: nullable(stringSchema),
		checked_at: timestamp,
	}),
};
const absent = ["svc_version", "email", "path", "content", "source", "installation", "followed"];
/** Manifests may have additional members. */
const additional = { additionalProperties: jsonValue };

const packSchema = defineSchema(
	"Pack",
	{ ...objectSchema(members, absent), ...additional },
	{
		id: "66a1e0019d3e4b7a51c00003",
		uid: "pack:disk",
		ref: "disk",
		name: "disk",
		description: "Volume care.",
		keywords: ["storage"],
		version: "1.4.0",
		author: "Storage team",
		email: "storage@example.org",
		contributors: [],
		python_versions: ["3"],
		files: ["pack.yaml", "actions/sweep.yaml", "actions/sweep.sh", "rules/on_alert.yaml"],
		path: "/opt/svc/packs/disk",
		dependencies: [],
		system: {},
	},
);

const packPart = defineSchema("PackPart", {
	description: "Selected members of a Pack: those in `include_attributes`, or all except those in `exclude_attributes`.",
	type: "object",
	properties: members,
	...additional,
});

const packFileSchema = defineSchema("PackFile", objectSchema({ file_path: stringSchema, content: stringSchema }), {
	file_path: "pack.yaml",
	content: "name: disk\n",
});

interface RouteServices extends FollowedDependencies {
	readonly packs: Packs;
}

const { defineRoute } = createRouteDeclarations<RouteServices>();

const defaultLimit = 100;
const selectable = selectionRulesOf([...ownMembers, ...manifestMembers], ["id"]);
const sortFields = new Map<string, "id" | "name" | "ref">([
	["id", "id"],
	["name", "name"],
	["ref", "ref"],
]);

const contentTypes: ReadonlyMap<string, string> = new Map([
	[".py", "text/x-python"],
	[".sh", "application/x-sh"],
	[".json", "application/json"],
	[".yaml", "application/x-yaml"],
	[".yml", "application/x-yaml"],
	[".md", "text/markdown"],
	[".html", "text/html"],
	[".css", "text/css"],
	[".js", "text/javascript"],
	[".xml", "application/xml"],
	[".png", "image/png"],
	[".jpg", "image/jpeg"],
	[".jpeg", "image/jpeg"],
	[".gif", "image/gif"],
	[".svg", "image/svg+xml"],
]);
const plain = "text/plain";
/** Files of packs are untrusted: a browser that opens one must not run scripts, load resources or give it the origin of the service. */
const fileHeaders = { "content-security-policy": "default-src 'none'; sandbox", "cache-control": "private, no-cache" };

const fileAnswers = {
	200: {
		...answerText(
			[...new Set([...contentTypes.values(), plain])],
			"The file. The content type follows from the file name.",
			"name: disk\n",
		),
		headers: {
			ETag: { description: "Changes with the content; not quoted.", schema: stringSchema },
			"Last-Modified": { description: "Time at which the file was changed or stored.", schema: stringSchema },
		},
	},
	304: answerNothing("The file has not changed (`If-None-Match`, `If-Modified-Since`)."),
};

export const packViewRoutes = [
	defineRoute({
		method: "GET",
		path: "/packs",
		summary: "List packs by ref",
		answers: { 200: answerSelectedPage(packSchema, packPart) },
		permission: "pack_list",
		query: { ...pagingQuery, ...selectionQuery, id: "string", name: "list", ref: "string", sort: "string" },
		async handler(context) {
			const { id, name, ref, sort } = context.query;
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, selectable);
			const filter = { id: id === undefined ? undefined : parseIds(id), name, ref };
			const orderBy = parseSort(sort, sortFields);
			const listing = { ...paging, fields: toPackFields(selection), ...(orderBy.length > 0 && { orderBy }) };
			const page = await context.engine.packs.list(filter, listing);
			const followed = (await context.engine.packInstalls?.followed()) ?? [];
			return replyList({ ...page, items: page.items.map((pack) => toPackRecord(pack, followed)) }, paging, selection);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/packs/views/files/:pack",
		summary: "Get the text files of a pack",
		description: "At most 1,000 files with 8,000,000 bytes in total. Files that are not text or have more than 500,000 bytes are omitted.",
		answers: { 200: describeList(packFileSchema) },
		permission: "pack_view",
		resource: findPackResource,
		async handler(context) {
			const texts = await context.engine.packs.texts(toPack(context));
			return replyJson(texts.map(({ path: file_path, text: content }) => ({ file_path, content })));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/packs/views/file/:pack/icon.png",
		summary: "Get the icon of a pack",
		answers: fileAnswers,
		permission: "authenticated",
		handler: async (context) => replyFile(context.request, await context.engine.packs.file(toPack(context), "icon.png")),
	}),
	defineRoute({
		method: "GET",
		path: "/packs/views/file/:pack/**:path",
		summary: "Get a file of a pack",
		description: "400 if the file has more than 500,000 bytes.",
		answers: fileAnswers,
		permission: "pack_view",
		resource: findPackResource,
		handler: async (context) => replyFile(context.request, await context.engine.packs.file(toPack(context), context.path["path"] ?? "")),
	}),
	defineRoute({
		method: "GET",
		path: "/packs/:pack",
		summary: "Get a pack",
		answers: { 200: answerJson(packSchema) },
		permission: "pack_view",
		resource: findPackResource,
		async handler({ engine, path }) {
			return replyJson(toPackRecord(await engine.packs.get(toPack({ path })), (await engine.packInstalls?.followed()) ?? []));
		},
	}),
];

function toPack({ path }: Pick<RouteContext, "path">): string {
	return path["pack"] ?? "";
}

/** Returns the resource of the pack in the path. Its uid contains the ref, even if the path contains the id. */
async function findPackResource(context: Pick<RouteContext<RouteServices>, "engine" | "path">): Promise<Resource> {
	return { uid: `pack:${(await context.engine.packs.get(toPack(context))).ref}` };
}

function replyFile({ headers: asked }: Pick<Request, "headers">, file: PackFile): Reply {
	const headers = { ...fileHeaders, etag: file.tag, "last-modified": new Date(file.modified).toUTCString() };
	if (isKnown(asked, file)) return { status: 304, headers, body: null };
	return replyContent(file.content, contentTypes.get(extname(file.path).toLowerCase()) ?? plain, headers);
}

/** Returns true if the client already has this version of the file. If the request has `If-None-Match`, `If-Modified-Since` is ignored. */
function isKnown(asked: Headers, { tag, modified }: PackFile): boolean {
	const tags = asked.get("if-none-match");
	if (tags !== null) return tags.split(",").some((one) => ["*", tag].includes(one.trim().replace(/^(?:W\/)?"(.*)"$/, "$1")));
	const since = Date.parse(asked.get("if-modified-since") ?? "");
	return Math.floor(modified / 1_000) * 1_000 <= since;
}
