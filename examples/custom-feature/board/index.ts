import { defineFeature } from "svc-automation/feature";
import { Board } from "./board.ts";
import { noteKind, notePermissions } from "./note.ts";
import { listNotes, routes } from "./routes.ts";
import { Sweep } from "./sweep.ts";
import { notePosted } from "./trigger-type.ts";

/**
 * A board with notes that everybody may read.
 *
 * @param interval milliseconds between two removals of old notes
 */
export const board = ({ interval = 60_000 } = {}) =>
	defineFeature({
		name: "board",
		kinds: { note: noteKind },
		permissions: { note: notePermissions },
		create(kernel) {
			const notes = new Board(kernel);
			return {
				api: { board: notes },
				triggerTypes: [{ type: notePosted }],
				loops: [["timers", new Sweep(notes, interval)]],
				routes,
				pageEntries: [
					{
						title: "Notes",
						list: listNotes,
						columns: [
							["posted_at", "Posted"],
							["user", "By"],
							["text", "Note"],
						],
					},
				],
			};
		},
	});
