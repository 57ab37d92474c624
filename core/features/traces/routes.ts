import { traceKind } from "../../contract/entities/trace.ts";
import type { TraceEntity } from "../../contract/index.ts";
import { isSelected, parseSelection, type Selection, selectionQuery, selectMembers } from "../../http/field-selection.ts";
import { answerJson, answerSelectedPage, answerTooMany } from "../../http/openapi/responses.ts";
import {
	arrayOf,
	defineSchema,
	enumOf,
	fieldsOf,
	objectSchema,
	partOf,
	stringSchema,
	timestamp,
} from "../../http/openapi/schema-builders.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import { replyJson } from "../../http/replies.ts";
import { selectionRulesOf } from "../../http/reply-list.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { parseSort } from "../../http/sort.ts";
import { replyPageOrAll } from "../../http/streamed-list.ts";
import { toMd5Digest, type WireRecord } from "../../http/wire-record.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { TriggersFeatureApi } from "../triggers/api.ts";
import { readVisibleTitles } from "../triggers/visible-triggers-exports.ts";
import type { TracesApi } from "./api.ts";
import type { InstanceComponent, TraceComponent, TraceView } from "./traces-exports.ts";

type RouteServices = TracesApi & TriggersFeatureApi;
type Titles = ReadonlyMap<string, string>;

const noTitles: Titles = new Map();

/** A component in a response. Only the events whose trigger's parameters the caller may view have a title. */
const componentSchema = defineSchema(
	"TraceComponent",
	objectSchema(
		{
			object_id: stringSchema,
			ref: stringSchema,
			title: stringSchema,
			updated_at: timestamp,
			caused_by: objectSchema({ type: enumOf("trigger_instance", "rule", "action_execution"), id: stringSchema }, ["type", "id"]),
		},
		["title"],
	),
	{ object_id: "66a1f0c29d3e4b7a51c08d12", ref: "core.local", updated_at: "2031-03-04T09:15:02.418273Z", caused_by: {} },
);
const componentList = arrayOf(componentSchema);

/** Wire schema of a trace. */
const traceSchema = defineSchema(
	"Trace",
	objectSchema({
		...fieldsOf(traceKind, ["id", "trace_tag", "start_timestamp"]),
		...{ uid: stringSchema, action_executions: componentList, rules: componentList, trigger_instances: componentList },
	}),
	{
		id: "66a1f0c29d3e4b7a51c08d10",
		uid: "trace:b326b5062b2f0e69046810717534cb09",
		trace_tag: "release-7",
		start_timestamp: "2031-03-04T09:15:02.418273Z",
		action_executions: [],
		rules: [],
		trigger_instances: [],
	},
);
const tracePart = partOf(traceSchema);

const { defineRoute } = createRouteDeclarations<RouteServices>();

const defaultLimit = 100;
const components = ["action_executions", "rules", "trigger_instances"];
const rules = selectionRulesOf(["id", "uid", "trace_tag", "start_timestamp", ...components]);
const sortFields = new Map<string, keyof TraceEntity>((["id", "trace_tag", "start_timestamp"] as const).map((name) => [name, name]));

const listQuery = {
	...pagingQuery,
	...selectionQuery,
	id: "string",
	trace_tag: "string",
	execution: "string",
	rule: "string",
	trigger_instance: "string",
	sort: "string",
	sort_asc: "string",
	sort_desc: "string",
} as const;

/** Routes that list and return traces. */
export const traceRoutes = [
	defineRoute({
		method: "GET",
		path: "/traces",
		summary: "List traces",
		answers: { 200: answerSelectedPage(traceSchema, tracePart), 429: answerTooMany },
		permission: "trace_list",
		query: listQuery,
		async handler(context) {
			const { id, trace_tag, execution, rule, trigger_instance } = context.query;
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, rules);
			const filter = {
				...(id !== undefined && { id: parseIds(id) }),
				...withoutUndefined({ trace_tag, execution, rule, trigger_instance }),
			};
			const orderBy = parseOrder(context.query);
			return replyPageOrAll(context, paging, async (part) => {
				const query = { ...part, components: showsComponents(selection), ...(orderBy.length > 0 && { orderBy }) };
				const page = await context.engine.traces.list(filter, query);
				const titles = isSelected(selection, "trigger_instances") ? await readTitles(context, page.items) : noTitles;
				return { ...page, items: page.items.map((view) => selectMembers(toTrace(view, titles), selection)) };
			});
		},
	}),
	defineRoute({
		method: "GET",
		path: "/traces/:id",
		summary: "Get a trace",
		description: "Includes at most 10,000 each of its executions, rule enforcements and trigger instances.",
		answers: { 200: answerJson(traceSchema) },
		permission: "trace_view",
		resource: ({ path }) => ({ uid: `trace:${path["id"] ?? ""}` }),
		async handler(context) {
			const view = await context.engine.traces.get(context.path["id"] ?? "");
			return replyJson(toTrace(view, await readTitles(context, [view])));
		},
	}),
];

function showsComponents(selection: Selection | undefined): boolean {
	return components.some((name) => isSelected(selection, name));
}

/** Returns the sort order of a list. `sort_asc` and `sort_desc` take effect only with the exact value `True`. */
function parseOrder({ sort, sort_asc, sort_desc }: RouteContext<RouteServices, typeof listQuery>["query"]) {
	const sorted = parseSort(sort, sortFields);
	if (sorted.length > 0 || sort_desc === "True" || sort_asc !== "True") return sorted;
	return [["start_timestamp", "asc"] as const, ["trace_tag", "asc"] as const];
}

/** Returns the titles of the triggers of all events in traces, as far as the caller may view them, by the ref of the trigger. */
function readTitles(context: RouteContext<RouteServices>, views: readonly TraceView[]): Promise<Titles> {
	const events = views.flatMap(({ instances }) => instances.map(({ ref: trigger, trigger_type }) => ({ trigger, trigger_type })));
	return readVisibleTitles(context, events);
}

export function toTrace({ trace, executions, rules, instances }: TraceView, titles: Titles = noTitles): WireRecord {
	return {
		id: trace.id,
		uid: `trace:${toMd5Digest(trace.id)}`,
		trace_tag: trace.trace_tag,
		start_timestamp: trace.start_timestamp,
		action_executions: executions.map(toComponent),
		rules: rules.map(toComponent),
		trigger_instances: instances.map((instance) => toInstance(instance, titles)),
	};
}

function toInstance({ trigger_type: _type, ...component }: InstanceComponent, titles: Titles): WireRecord {
	const title = titles.get(component.ref);
	return { ...toComponent(component), ...(title !== undefined && { title }) };
}

function toComponent({ caused_by, ...component }: TraceComponent): WireRecord {
	return { ...component, caused_by: caused_by ?? {} };
}
