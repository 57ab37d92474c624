import type { JsonObject } from "../../contract/index.ts";
import { defineTriggerType, ofObject, type TriggerTypeDefinition } from "../../kernel/events/trigger-type-registry.ts";
import { triggerRefs } from "../triggers/trigger-type-refs-exports.ts";
import { checkTimerParameters } from "./timer-schedule.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const closed = { additionalProperties: false };
const timerPayload = ofObject({ executed_at: { type: "string", format: "date-time" }, schedule: { type: "object" } });

/** Returns the schema of a schedule field: a number in its range, or an expression, which `checkTimerParameters` validates. */
function scheduleField(minimum: number, maximum?: number): JsonObject {
	return { anyOf: [text, { ...integer, minimum, ...(maximum !== undefined && { maximum }) }] };
}

const definitions: readonly TriggerTypeDefinition["type"][] = [
	defineTriggerType(
		triggerRefs.intervalTimer,
		"An interval has passed.",
		timerPayload,
		ofObject(
			{
				unit: { ...text, enum: ["weeks", "days", "hours", "minutes", "seconds"], required: true },
				delta: { ...integer, required: true },
				timezone: text,
			},
			closed,
		),
	),
	defineTriggerType(
		triggerRefs.dateTimer,
		"A date and time has been reached.",
		timerPayload,
		ofObject({ date: { ...text, required: true }, timezone: text }, closed),
	),
	defineTriggerType(
		triggerRefs.cronTimer,
		"A cron schedule is due.",
		timerPayload,
		ofObject(
			{
				timezone: text,
				cron: text,
				year: scheduleField(0),
				month: scheduleField(1, 12),
				day: scheduleField(1, 31),
				week: scheduleField(1, 53),
				day_of_week: scheduleField(0, 6),
				hour: scheduleField(0, 23),
				minute: scheduleField(0, 59),
				second: scheduleField(0, 59),
			},
			closed,
		),
	),
];

/** The trigger types for which timers fire. */
export const timerTriggerTypes: readonly TriggerTypeDefinition[] = definitions.map((type) => ({
	type,
	isAlwaysChecked: true,
	checkParameters: (parameters) => checkTimerParameters(type.ref, parameters),
}));
