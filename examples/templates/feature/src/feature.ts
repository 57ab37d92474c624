import { defineFeature } from "svc-automation/feature";
import { Notes, noteKind, notePermissions } from "./notes.ts";
import { listNotes, routes } from "./routes.ts";

/** Notes that users write and read. */
export const templateName = () =>
	defineFeature({
		name: "template-name",
		contract: 1,
		kinds: { template_note: noteKind },
		permissions: { template_note: notePermissions },
		create: (kernel) => ({
			api: { templateNameNotes: new Notes(kernel) },
			routes,
			pageEntries: [
				{
					title: "template-name",
					list: listNotes,
					columns: [
						["created_at", "Written"],
						["user", "By"],
						["text", "Note"],
					],
				},
			],
		}),
	});
