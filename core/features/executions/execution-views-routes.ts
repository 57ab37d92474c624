import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { SvcError, stringifyJson } from "../../contract/index.ts";
import type { Selection } from "../../http/field-selection.ts";
import { answerJson, answerPage, answerTooMany, type ResponseDeclaration } from "../../http/openapi/responses.ts";
import { arrayOf, defineSchema, jsonObject, jsonValue, mapOf, nullable, stringSchema } from "../../http/openapi/schema-builders.ts";
import { type Paging, pagingQuery, parsePaging } from "../../http/paging.ts";
import {
	presentRecord,
	type RecordVisibility,
	secretsQuery,
	toDefaultVisibility,
	toRecordVisibility,
} from "../../http/record-visibility.ts";
import { replyContent, replyJson } from "../../http/replies.ts";
import { replyRecords } from "../../http/reply-records.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import { replyPageOrAll } from "../../http/streamed-list.ts";
import type { Descendant } from "../../kernel/executions/executions-api.ts";
import { findExecutionResource } from "./execution-resource-exports.ts";
import { withActionExecutionsAlias } from "./execution-route-aliases-exports.ts";
import { presentExecution, presentExecutions } from "./present-executions.ts";
import { toExecution } from "./records-exports.ts";
import type { ExecutionRouteServices } from "./route-services.ts";
import { toId } from "./routes.ts";
import { executionSchema } from "./schemas-exports.ts";

const { defineRoute } = createRouteDeclarations<ExecutionRouteServices>();

const compressed = promisify(gzip);
const attributes = ["result", "trigger_instance", "status"];

const filterValuesSchema = defineSchema("ExecutionFilterValues", mapOf(arrayOf(nullable(stringSchema))), {
	action: ["core.local"],
	user: ["maria"],
});
const resultAnswer: ResponseDeclaration = {
	description: "The result; a file if `download` is true.",
	content: {
		"text/json": { schema: jsonObject, example: { stdout: "up 12 days" } },
		"application/x-gzip": { schema: { ...stringSchema, contentEncoding: "gzip" } },
	},
	headers: {
		"Content-Disposition": { description: "With `download`: the name of the file.", schema: stringSchema, isOptional: true },
		"Content-Encoding": { description: "With `compress`: gzip.", schema: stringSchema, isOptional: true },
	},
};

/** Routes for single attributes, results, descendants and filter values of executions. */
export const executionViewRoutes = withActionExecutionsAlias([
	defineRoute({
		method: "GET",
		path: "/executions/views/filters",
		summary: "List the existing values of each execution filter",
		description: "`types`: names of filters, separated by commas.",
		answers: { 200: answerJson(filterValuesSchema) },
		permission: "execution_views_filters_list",
		query: { types: "list" },
		async handler({ engine, query }) {
			return replyJson(await engine.executions.filterValues(query.types));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/executions/:id/attribute/:name",
		summary: "Get `result`, `status` or `trigger_instance` of an execution",
		answers: { 200: answerJson(jsonValue) },
		permission: "execution_view",
		resource: (context) => findExecutionResource(context.engine, toId(context)),
		query: secretsQuery,
		async handler(context) {
			const name = context.path["name"] ?? "";
			if (!attributes.includes(name)) throw new SvcError("SVC_INVALID", `attribute: "${name}" is not one of ${attributes.join(", ")}`);
			const view = await context.engine.executions.get(toId(context));
			const record = await presentExecution(context, view, { presentation: toRecordVisibility(context), selection: only(name) });
			return replyJson(record[name]);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/executions/:id/result",
		summary: "Get only the result of an execution",
		description: "`download`, `compress` and `pretty_format` select the format.",
		answers: { 200: resultAnswer },
		permission: "execution_view",
		resource: (context) => findExecutionResource(context.engine, toId(context)),
		query: { ...secretsQuery, download: "boolean", compress: "boolean", pretty_format: "boolean" },
		async handler(context) {
			const { download, compress, pretty_format } = context.query;
			const view = await context.engine.executions.get(toId(context));
			const result = await presentRecord(() => toExecution(view, toRecordVisibility(context))["result"] ?? {});
			const text = stringifyJson(result, pretty_format === true ? 2 : undefined);
			const name = `execution_${view.entity.id}_result.json${compress === true ? ".gz" : ""}`;
			const headers = download === true ? { "content-disposition": `attachment; filename=${name}` } : undefined;
			if (compress !== true) return replyContent(text, "text/json", headers);
			return replyContent(await compressed(text), "application/x-gzip", { ...headers, "content-encoding": "gzip" });
		},
	}),
	defineRoute({
		method: "GET",
		path: "/executions/:id/children",
		summary: "List all descendants of an execution",
		description:
			"Only those that the user may view. `depth`: number of generations; `result_fmt=sorted`: ordered by start. The total counts up to 10,000 descendants, or `api.exact_total_limit` if that is lower. Without `limit`, all of them are streamed.",
		answers: { 200: answerPage(executionSchema), 429: answerTooMany },
		permission: "execution_view",
		resource: (context) => findExecutionResource(context.engine, toId(context)),
		query: { ...pagingQuery, depth: "integer", result_fmt: "string" },
		async handler(context) {
			const paging = parsePaging(context);
			const { depth = -1, result_fmt } = context.query;
			const { executions } = context.engine;
			const presentation = toDefaultVisibility(context);
			const descendants = await executions.descendants(toId(context), { depth, sorted: result_fmt === "sorted" });
			const visible = visibleBy(descendants, presentation);
			const present = async (ids: readonly string[]) => presentExecutions(context, await executions.findByIds(ids), { presentation });
			if (paging.limit === undefined) {
				const ids: string[] = [];
				for await (const id of visible) ids.push(id);
				return replyRecords(context, paging, ids, present);
			}
			const { ids, total, exactTotal } = await readTreePage(visible, { ...paging, limit: paging.limit });
			return replyPageOrAll(context, { ...paging, exactTotal }, async () => ({ items: await present(ids), total }));
		},
	}),
]);

/**
 * Highest total of descendants that is counted exactly, unless the page ends after it; `api.exact_total_limit` applies if it is less. The
 * count is limited because it reads each descendant.
 */
const maxCounted = 10_000;

/** Reads a page of executions. Reads beyond its end until the total is counted, or exceeds the count limit by one. */
async function readTreePage(visible: AsyncIterable<string>, { limit, offset, exactTotal }: Required<Paging>) {
	const end = offset + limit;
	const counted = Math.max(end, Math.min(exactTotal, maxCounted));
	const ids: string[] = [];
	let total = 0;
	for await (const id of visible) {
		if (total >= offset && total < end) ids.push(id);
		total++;
		if (total > counted) break;
	}
	return { ids, total, exactTotal: counted };
}

/** Yields the ids of executions that the caller may view. Checks each action once: 100,000 executions may have only a few actions. */
async function* visibleBy(executions: AsyncIterable<Descendant>, { mayView }: Pick<RecordVisibility, "mayView">): AsyncGenerator<string> {
	const known = new Map<string, boolean>();
	for await (const { id, action_ref } of executions) {
		const isVisible = known.get(action_ref) ?? mayView(action_ref);
		known.set(action_ref, isVisible);
		if (isVisible) yield id;
	}
}

function only(member: string): Selection {
	return { kind: "include", members: new Map([[member, undefined]]) };
}
