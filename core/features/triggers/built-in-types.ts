import type { JsonObject, TriggerTypeEntity } from "../../contract/index.ts";
import { hookParametersSchema } from "../webhooks/hook-parameters.ts";

/** Refs of the trigger types that parts of the service use by name. */
export const triggerRefs = {
	webhook: "core.svc.webhook",
	intervalTimer: "core.svc.IntervalTimer",
	dateTimer: "core.svc.DateTimer",
	cronTimer: "core.svc.CronTimer",
	action: "core.svc.generic.actiontrigger",
	notify: "core.svc.generic.notifytrigger",
	inquiry: "core.svc.generic.inquiry",
	fileWritten: "core.svc.action.file_written",
	processSpawn: "core.svc.sensor.process_spawn",
	processExit: "core.svc.sensor.process_exit",
	keyCreate: "core.svc.key_value_pair.create",
	keyUpdate: "core.svc.key_value_pair.update",
	keyValueChange: "core.svc.key_value_pair.value_change",
	keyDelete: "core.svc.key_value_pair.delete",
} as const;

/** Types whose parameters and payloads are checked whatever the options say. */
export const alwaysChecked: ReadonlySet<string> = new Set([
	triggerRefs.webhook,
	triggerRefs.intervalTimer,
	triggerRefs.dateTimer,
	triggerRefs.cronTimer,
]);

const text = { type: "string" };
const integer = { type: "integer" };
const object = { type: "object" };

function ofObject(properties: JsonObject, rest: JsonObject = {}): JsonObject {
	return { type: "object", properties, ...rest };
}

const closed = { additionalProperties: false };
const timerPayload = ofObject({ executed_at: { type: "string", format: "date-time" }, schedule: object });

/** A field of a schedule: a number in its range, or an expression, which whoever plans the timer reads. */
function scheduleField(minimum: number, maximum?: number): JsonObject {
	return { anyOf: [text, { ...integer, minimum, ...(maximum !== undefined && { maximum }) }] };
}

function define(ref: string, description: string, payload: JsonObject, parameters: JsonObject = {}): Omit<TriggerTypeEntity, "id"> {
	return {
		ref,
		pack: "core",
		name: ref.slice("core.".length),
		description,
		metadata_file: null,
		payload_schema: payload,
		parameters_schema: parameters,
		tags: [],
	};
}

const keyPayload = ofObject({ object });

/** The trigger types that every service has (reference 2.6). */
export const builtInTypes: readonly Omit<TriggerTypeEntity, "id">[] = [
	define(
		triggerRefs.webhook,
		"Something was posted to a webhook.",
		ofObject({ headers: object, headers_lower: object, body: { anyOf: [object, { type: "array" }] } }),
		hookParametersSchema,
	),
	define(
		triggerRefs.intervalTimer,
		"An interval of time has passed.",
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
	define(
		triggerRefs.dateTimer,
		"A point in time has come.",
		timerPayload,
		ofObject({ date: { ...text, required: true }, timezone: text }, closed),
	),
	define(
		triggerRefs.cronTimer,
		"It is time again, by a schedule.",
		timerPayload,
		ofObject(
			{
				timezone: text,
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
	define(
		triggerRefs.action,
		"An execution has come to its end.",
		ofObject({
			execution_id: text,
			status: text,
			start_timestamp: text,
			action_name: text,
			action_ref: text,
			runner_ref: text,
			parameters: object,
			result: object,
		}),
	),
	define(
		triggerRefs.notify,
		"An execution that asks for notifications has come to its end; one for each route.",
		ofObject({
			execution_id: text,
			status: text,
			start_timestamp: text,
			end_timestamp: text,
			action_ref: text,
			runner_ref: text,
			channel: text,
			route: text,
			message: text,
			data: object,
		}),
	),
	define(
		triggerRefs.inquiry,
		"An execution waits for an answer.",
		ofObject({ id: { ...text, required: true }, route: { ...text, required: true } }, closed),
	),
	define(
		triggerRefs.fileWritten,
		"A file of an action was written over the API.",
		ofObject({ ref: text, file_path: text, host_info: object }),
	),
	define(triggerRefs.processSpawn, "A sensor was started.", ofObject({ id: text, timestamp: { type: "number" }, pid: integer, cmd: text })),
	define(triggerRefs.processExit, "A sensor came to its end.", ofObject({ id: text, timestamp: { type: "number" }, exit_code: integer })),
	define(triggerRefs.keyCreate, "A datastore item was set that did not exist.", keyPayload),
	define(triggerRefs.keyUpdate, "A datastore item that exists was set.", keyPayload),
	define(triggerRefs.keyValueChange, "The value of a datastore item has changed.", ofObject({ old_object: object, new_object: object })),
	define(triggerRefs.keyDelete, "A datastore item was deleted.", keyPayload),
];
