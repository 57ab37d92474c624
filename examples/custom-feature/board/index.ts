import { defineFeature } from "svc-automation/feature";
import { Board } from "./board.ts";
import { noteKind, notePermissions } from "./note.ts";
import { OldNoteDeletion } from "./old-note-deletion.ts";
import { listNotes, routes } from "./routes.ts";
import { notePosted } from "./trigger-type.ts";

/**
 * A board with notes that users post and read.
 *
 * @param interval milliseconds between two deletions of old notes
 */
export const board = ({ interval = 60_000 } = {}) =>
	defineFeature({
		name: "board",
		requires: ["access"],
		kinds: { note: noteKind },
		permissions: { note: notePermissions },
		create(kernel, { access }) {
			const notes = new Board(kernel, access.api.access);
			return {
				api: { board: notes },
				triggerTypes: [{ type: notePosted }],
				loops: [["timers", new OldNoteDeletion(notes, interval)]],
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
