import type { JsonObject } from "../../contract/index.ts";
import { defineBody } from "../../http/body.ts";
import { parseSelection, selectionQuery, selectMembers } from "../../http/field-selection.ts";
import { answerJson, answerSelected, answerSelectedPage } from "../../http/openapi/responses.ts";
import {
	arrayOf,
	defineSchema,
	jsonObject,
	jsonValue,
	numberSchema,
	objectSchema,
	partOf,
	stringSchema,
} from "../../http/openapi/schema-builders.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { replyJson } from "../../http/replies.ts";
import { replyList, selectionRulesOf } from "../../http/reply-list.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import type { GuardedResource } from "../../http/route-permission.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import { toAnswerDefinition } from "../../language/inquiry-schema.ts";
import { maskBySchema } from "../../language/parameters/schema-masking.ts";
import type { InquiriesApi } from "./api.ts";
import type { InquiryView } from "./inquiries-exports.ts";

/** Wire schema of a pending inquiry. */
const inquirySchema = defineSchema(
	"Inquiry",
	objectSchema({
		id: stringSchema,
		route: stringSchema,
		ttl: numberSchema,
		users: arrayOf(stringSchema),
		roles: arrayOf(stringSchema),
		schema: jsonObject,
	}),
	{
		id: "66a1f0c29d3e4b7a51c08d12",
		route: "developers",
		ttl: 1440,
		users: [],
		roles: [],
		schema: { approved: { type: "boolean", required: true } },
	},
);
const inquiryPart = partOf(inquirySchema);

/** Wire schema of a stored response. If the whole response is secret, the mask replaces it. */
const inquiryAnswerSchema = defineSchema("InquiryAnswer", objectSchema({ id: stringSchema, response: jsonValue }), {
	id: "66a1f0c29d3e4b7a51c08d12",
	response: { approved: true },
});

const { defineRoute } = createRouteDeclarations<InquiriesApi>();

const defaultLimit = 20;
const selectionRules = selectionRulesOf(["id", "route", "ttl", "users", "roles", "schema"]);

/** Request body with a response. It contains the id of the path, because clients send the whole inquiry with the response in it. */
const answerBody = defineBody<{ readonly id: string; readonly response: JsonObject; readonly reason?: string }>({
	properties: { id: { type: "string" }, response: { type: "object" }, reason: { type: "string", maxLength: 1_000 } },
	required: ["id", "response"],
});

export const inquiryRoutes = [
	defineRoute({
		method: "GET",
		path: "/inquiries",
		summary: "List pending inquiries, oldest first",
		description: "Pages of 20 by default. With `sort_desc=True`, newest first.",
		answers: { 200: answerSelectedPage(inquirySchema, inquiryPart) },
		permission: "inquiry_list",
		query: { ...pagingQuery, ...selectionQuery, sort_desc: "string" },
		async handler(context) {
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, selectionRules);
			const { items, total } = await context.engine.inquiries.list(paging, { newestFirst: context.query.sort_desc !== undefined });
			return replyList({ items: items.map((inquiry) => toRecord(inquiry, context)), total }, paging, selection);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/inquiries/:id",
		summary: "Get an inquiry",
		description: "400 if the execution is not an inquiry, or if the inquiry is answered or timed out.",
		answers: { 200: answerSelected(inquirySchema, inquiryPart) },
		permission: "inquiry_view",
		resource: (context) => findInquiryResource(context.engine, toId(context)),
		query: selectionQuery,
		async handler(context) {
			const selection = parseSelection(context.query, selectionRules);
			return replyJson(selectMembers(toRecord(await context.engine.inquiries.get(toId(context)), context), selection));
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/inquiries/:id",
		summary: "Answer an inquiry",
		description: "Body: `{id, response, reason}`. 403 for users who may not answer, 400 for an answer that does not match the schema.",
		answers: { 200: answerJson(inquiryAnswerSchema) },
		permission: "inquiry_respond",
		resource: (context) => findInquiryResource(context.engine, toId(context)),
		body: answerBody,
		async handler(context) {
			const { engine, body, principal, options } = context;
			const { inquiry, response } = await engine.inquiries.respond(toId(context), body.response, principal, body.reason);
			const shown = options.api.mask_secrets ? maskBySchema({ response }, { response: toAnswerDefinition(inquiry.schema) }) : { response };
			return replyJson({ id: inquiry.id, ...shown });
		},
	}),
];

function toId({ path }: Pick<RouteContext, "path">): string {
	return path["id"] ?? "";
}

/** Returns the resource for permission checks: the action of the parent execution; without a parent the inquiry, which has no grants. */
async function findInquiryResource({ inquiries }: InquiriesApi, id: string): Promise<GuardedResource> {
	const action = await inquiries.parentAction(id);
	return action === undefined ? { uid: `inquiry:${id}` } : toActionResource(action);
}

function toRecord({ id, route, ttl, users, roles, schema, secrets }: InquiryView, { options }: Pick<RouteContext, "options">) {
	if (!options.api.mask_secrets) return { id, route, ttl, users, roles, schema };
	return { id, route: secrets.redactText(route), ttl, users, roles, schema: secrets.redactJson(schema) };
}
