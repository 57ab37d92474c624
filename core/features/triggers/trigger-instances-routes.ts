import type { TriggerInstanceEntity } from "../../contract/index.ts";
import { isSelected, parseSelection, selectionQuery, selectMembers } from "../../http/field-selection.ts";
import { assertAllowedValues } from "../../http/filter-values.ts";
import { answerJson, answerSelectedPage, answerTooMany } from "../../http/openapi/responses.ts";
import { jsonObject, objectSchema, stringSchema } from "../../http/openapi/schema-builders.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import { secretsQuery, toDefaultVisibility, toRecordVisibility } from "../../http/record-visibility.ts";
import { replyJson } from "../../http/replies.ts";
import { selectionRulesOf } from "../../http/reply-list.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { parseSort } from "../../http/sort.ts";
import { replyPageOrAll } from "../../http/streamed-list.ts";
import { parseTimeRange } from "../../http/time-range.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { TriggersFeatureApi } from "./api.ts";
import { triggerInstancePart, triggerInstanceSchema } from "./schemas-exports.ts";
import { toInstanceResource } from "./trigger-resources.ts";
import { withVisiblePayloads } from "./visible-payloads-exports.ts";
import { readVisibleTitles } from "./visible-triggers-exports.ts";

const { defineRoute } = createRouteDeclarations<TriggersFeatureApi>();

const defaultLimit = 100;
const rules = selectionRulesOf([
	"id",
	"trigger",
	"trigger_type",
	"payload",
	"occurrence_time",
	"status",
	"trace_id",
	"failure_reason",
	"trigger_title",
]);
const sortFields = new Map<string, keyof TriggerInstanceEntity>([
	["id", "id"],
	["trigger", "trigger"],
	["trigger_type", "trigger_type"],
	["status", "status"],
	["timestamp", "occurrence_time"],
	["occurrence_time", "occurrence_time"],
]);

const reEmissionSchema = objectSchema({ message: stringSchema, payload: jsonObject, id: stringSchema }, ["payload"]);

/** Routes for events. */
export const triggerInstanceRoutes = [
	defineRoute({
		method: "GET",
		path: "/triggerinstances",
		summary: "List events",
		answers: { 200: answerSelectedPage(triggerInstanceSchema, triggerInstancePart), 429: answerTooMany },
		permission: "trigger_instance_list",
		query: {
			...pagingQuery,
			...selectionQuery,
			...secretsQuery,
			id: "string",
			trigger: "list",
			trigger_type: "list",
			status: "list",
			timestamp_gt: "string",
			timestamp_lt: "string",
			sort: "string",
		},
		async handler(context) {
			const { id, trigger, trigger_type, status, timestamp_gt: gt, timestamp_lt: lt, sort } = context.query;
			assertAllowedValues("status", status ?? [], ["pending", "processing", "processed", "processing_failed"]);
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, rules);
			const occurrence_time = parseTimeRange("timestamp", { gt, lt });
			const filter = {
				...(id !== undefined && { id: parseIds(id) }),
				...withoutUndefined({ trigger, trigger_type, status, occurrence_time }),
			};
			const orderBy = parseSort(sort, sortFields);
			const presentation = toRecordVisibility(context);
			return replyPageOrAll(context, paging, async (part) => {
				const page = await context.engine.triggers.instances.list(filter, { ...part, ...(orderBy.length > 0 && { orderBy }) });
				const shown = await withVisiblePayloads(context, page.items, presentation);
				const records = isSelected(selection, "trigger_title") ? await withTitles(context, page.items, shown) : shown;
				return { ...page, items: records.map((record) => selectMembers(record, selection)) };
			});
		},
	}),
	defineRoute({
		method: "GET",
		path: "/triggerinstances/:id",
		summary: "Get an event",
		answers: { 200: answerJson(triggerInstanceSchema) },
		permission: "trigger_instance_view",
		resource: findInstanceResource,
		query: secretsQuery,
		async handler(context) {
			const instance = await context.engine.triggers.instances.get(toId(context));
			const shown = await withVisiblePayloads(context, [instance], toRecordVisibility(context));
			const [record] = await withTitles(context, [instance], shown);
			return replyJson(record);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/triggerinstances/:id/re_emit",
		summary: "Re-emit a trigger instance",
		description: "The payload of the new event names the user in `__context.re_emitted_by`.",
		answers: {
			200: answerJson(reEmissionSchema, {
				example: { message: "Trigger instance 66a1e0019d3e4b7a51c00032 successfully re-sent.", id: "66a1e0019d3e4b7a51c00033" },
			}),
		},
		permission: "trigger_instance_reemit",
		resource: findInstanceResource,
		query: { reason: "string" },
		async handler(context) {
			const id = toId(context);
			const instance = await context.engine.triggers.instances.reEmit(id, context.principal, context.query.reason);
			const [record] = await withVisiblePayloads(context, [instance], toDefaultVisibility(context));
			return replyJson({ message: `Trigger instance ${id} successfully re-sent.`, payload: record?.["payload"], id: instance.id });
		},
	}),
];

/** Returns the records of events with the titles of their triggers, as far as the caller may view them. */
async function withTitles(
	context: RouteContext<TriggersFeatureApi>,
	instances: readonly TriggerInstanceEntity[],
	records: readonly WireRecord[],
): Promise<readonly WireRecord[]> {
	const titles = await readVisibleTitles(context, instances);
	return records.map((record, index) => {
		const title = titles.get(instances[index]?.trigger ?? "");
		return title === undefined ? record : { ...record, trigger_title: title };
	});
}

function toId({ path }: Pick<RouteContext, "path">): string {
	return path["id"] ?? "";
}

async function findInstanceResource(context: Pick<RouteContext<TriggersFeatureApi>, "engine" | "path">) {
	return toInstanceResource(await context.engine.triggers.instances.get(toId(context)));
}
