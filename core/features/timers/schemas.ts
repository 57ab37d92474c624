import { defineSchema, nullable, object, timestamp } from "../../http/openapi/schema.ts";
import { triggerExample, triggerMembers } from "../triggers/schemas-api.ts";

/** A timer in a response: its trigger, and when it fires. */
export const timerSchema = defineSchema(
	"Timer",
	object({ ...triggerMembers, next_fire_at: nullable(timestamp), last_fired_at: nullable(timestamp) }),
	{
		...triggerExample,
		type: "core.svc.IntervalTimer",
		parameters: { unit: "minutes", delta: 5 },
		next_fire_at: "2031-03-04T09:20:00.000000Z",
		last_fired_at: null,
	},
);
