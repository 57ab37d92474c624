import { answerJson, answerPage, answerTooMany } from "../../http/openapi/responses.ts";
import { defineSchema, nullable, objectSchema, timestamp } from "../../http/openapi/schema-builders.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { replyJson } from "../../http/replies.ts";
import { replyRecords } from "../../http/reply-records.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import type { GuardedResource } from "../../http/route-permission.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import type { TriggersFeatureApi } from "../triggers/api.ts";
import { rulesMember, triggerExample, triggerMembers } from "../triggers/schemas-exports.ts";
import { toTrigger } from "../triggers/trigger-records-exports.ts";
import { readVisibleRules } from "../triggers/visible-triggers-exports.ts";
import type { TimersFeatureApi } from "./api.ts";
import type { TimerView } from "./timers-exports.ts";

type RouteServices = TimersFeatureApi & TriggersFeatureApi;

/** A timer in a response: its trigger, its rules, and the times of its last and its next event. */
const timerSchema = defineSchema(
	"Timer",
	objectSchema({ ...triggerMembers, ...rulesMember, next_fire_at: nullable(timestamp), last_fired_at: nullable(timestamp) }),
	{
		...triggerExample,
		type: "core.svc.IntervalTimer",
		title: "every 5 minutes",
		parameters: { unit: "minutes", delta: 5 },
		rules: ["disk.sweep"],
		next_fire_at: "2031-03-04T09:20:00.000000Z",
		last_fired_at: null,
	},
);

const { defineRoute } = createRouteDeclarations<RouteServices>();

/** Routes for timers: triggers of the timer types that rules have created. */
export const timerRoutes = [
	defineRoute({
		method: "GET",
		path: "/timers",
		summary: "List timers",
		description: "`timer_type` filters the list.",
		answers: { 200: answerPage(timerSchema), 429: answerTooMany },
		permission: "timer_list",
		query: { ...pagingQuery, timer_type: "string" },
		async handler(context) {
			const timers = await context.engine.timers.list(context.query.timer_type);
			return replyRecords(context, parsePaging(context), timers, (part) => toTimers(context, part));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/timers/:ref",
		summary: "Get a timer",
		answers: { 200: answerJson(timerSchema) },
		permission: "timer_view",
		resource: async ({ engine, path }) => toTimerResource(await engine.timers.get(path["ref"] ?? "")),
		async handler(context) {
			const [timer] = await toTimers(context, [await context.engine.timers.get(context.path["ref"] ?? "")]);
			return replyJson(timer);
		},
	}),
];

function toTimerResource({ trigger }: TimerView): GuardedResource {
	return { uid: `timer:${trigger.pack}:${trigger.name}`, pack: trigger.pack };
}

/** Returns the records of timers, each with the rules that use it and that the caller may view. */
async function toTimers(context: RouteContext<RouteServices>, views: readonly TimerView[]): Promise<readonly WireRecord[]> {
	const rules = await readVisibleRules(
		context,
		views.map(({ trigger }) => trigger),
	);
	return views.map(({ trigger, timer, isUsed }) => ({
		...toTrigger(trigger),
		rules: rules.get(trigger.ref) ?? [],
		next_fire_at: (isUsed && timer?.next_fire_at) || null,
		last_fired_at: timer?.last_fired_at ?? null,
	}));
}
