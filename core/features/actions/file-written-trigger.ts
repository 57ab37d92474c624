import { defineTriggerType, ofObject, type TriggerTypeDefinition } from "../../kernel/events/trigger-type-registry.ts";

export const fileWritten = "core.svc.action.file_written";

const text = { type: "string" };

/** Trigger type of the events for files of actions that were written over the API. */
export const fileWrittenType: TriggerTypeDefinition = {
	type: defineTriggerType(
		fileWritten,
		"A file of an action was written through the API.",
		ofObject({ ref: text, file_path: text, host_info: { type: "object" } }),
	),
};
