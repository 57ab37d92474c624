import { defineTriggerType, ofObject, type TriggerTypeDefinition } from "../../kernel/events/trigger-type-registry.ts";

export const fileWritten = "core.svc.action.file_written";

const text = { type: "string" };

/** Type of the trigger for a file of an action that was written over the API. */
export const fileWrittenType: TriggerTypeDefinition = {
	type: defineTriggerType(
		fileWritten,
		"A file of an action was written over the API.",
		ofObject({ ref: text, file_path: text, host_info: { type: "object" } }),
	),
};
