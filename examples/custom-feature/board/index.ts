import { defineFeature } from "svc-automation/feature";
import { Board } from "./board.ts";
import { noteKind, notePermissions } from "./note.ts";
import { OldNoteDeletion } from "./old-note-deletion.ts";
import { boardOptions } from "./options.ts";
import { listNotes, routes } from "./routes.ts";
import { notePosted } from "./trigger-type.ts";

/** A board with notes that users post and read. */
export const board = () =>
	defineFeature({
		name: "board",
		requires: ["access"],
		kinds: { note: noteKind },
		permissions: { note: notePermissions },
		options: { board: boardOptions },
		create(kernel, { access }) {
			const notes = new Board(kernel, access.api.access);
			return {
				api: { board: notes },
				triggerTypes: [{ type: notePosted }],
				loops: [["timers", new OldNoteDeletion(notes, kernel.options.board)]],
				routes,
				pageEntries: [
					{
						title: "Notes",
						list: listNotes,
						columns: [
							["posted_at", "Posted"],
							["user", "By"],
							["text", "Note"],
							["pinned", "Pinned"],
						],
					},
				],
			};
		},
	});
