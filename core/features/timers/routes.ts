import { answerJson, answerPage, answerTooMany } from "../../http/openapi/responses.ts";
import { defineSchema, nullable, objectSchema, timestamp } from "../../http/openapi/schema-builders.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { replyJson } from "../../http/replies.ts";
import { replyRecords } from "../../http/reply-records.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import type { GuardedResource } from "../../http/route-permission.ts";
import { triggerExample, triggerMembers } from "../triggers/schemas-exports.ts";
import { toTrigger } from "../triggers/trigger-records-exports.ts";
import type { TimersFeatureApi } from "./api.ts";
import type { TimerView } from "./timers-exports.ts";

/** A timer in a response: its trigger, with the times of its last and its next event. */
const timerSchema = defineSchema(
	"Timer",
	objectSchema({ ...triggerMembers, next_fire_at: nullable(timestamp), last_fired_at: nullable(timestamp) }),
	{
		...triggerExample,
		type: "core.svc.IntervalTimer",
		parameters: { unit: "minutes", delta: 5 },
		next_fire_at: "2031-03-04T09:20:00.000000Z",
		last_fired_at: null,
	},
);

const { defineRoute } = createRouteDeclarations<TimersFeatureApi>();

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
			return replyRecords(context, parsePaging(context), timers, (part) => part.map(toTimer));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/timers/:ref",
		summary: "Get a timer",
		answers: { 200: answerJson(timerSchema) },
		permission: "timer_view",
		resource: async ({ engine, path }) => toTimerResource(await engine.timers.get(path["ref"] ?? "")),
		async handler({ engine, path }) {
			return replyJson(toTimer(await engine.timers.get(path["ref"] ?? "")));
		},
	}),
];

function toTimerResource({ trigger }: TimerView): GuardedResource {
	return { uid: `timer:${trigger.pack}:${trigger.name}` };
}

function toTimer({ trigger, timer, isUsed }: TimerView) {
	return { ...toTrigger(trigger), next_fire_at: (isUsed && timer?.next_fire_at) || null, last_fired_at: timer?.last_fired_at ?? null };
}
