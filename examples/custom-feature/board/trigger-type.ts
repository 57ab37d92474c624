import { ofObject, type TriggerTypeDefinition } from "svc-automation/feature";

/** Type of the events that report new notes. */
export const notePosted: TriggerTypeDefinition["type"] = {
	ref: "board.note_posted",
	pack: "board",
	name: "note_posted",
	description: "A note was put on the board.",
	metadata_file: null,
	payload_schema: ofObject({ text: { type: "string" }, user: { type: "string" } }),
	parameters_schema: {},
	tags: [],
};
