import { type AddCommands, openSession, optionsOf, printList, printRecord, withCommonOptions } from "svc-automation/cli";
import type { NoteEntity } from "./note.ts";

const columns = ["posted_at", "user", "pinned", "text"];

const addNoteCommands: AddCommands = (parent, context) => {
	const note = parent.command("note").description("Read the board and write on it.");

	withCommonOptions(note.command("list").description("List notes, the newest first.")).action(async (_options, command) => {
		const options = optionsOf(command);
		const api = await openSession(options, context);
		await printList(await api.list<NoteEntity>("/notes"), columns, options, context);
	});

	withCommonOptions(note.command("post <text>").description("Put a note on the board."))
		.option("--pin", "keep the note until it is deleted")
		.action(async (text: string, _options, command) => {
			const options = optionsOf<{ readonly pin?: boolean }>(command);
			const api = await openSession(options, context);
			const body = { text, ...(options.pin && { pinned: true }) };
			await printRecord(await api.read<NoteEntity>("/notes", { method: "POST", body }), ["id", ...columns], options, context);
		});
};

/** Commands that `svc` has if `SVC_COMMANDS` names this module. */
export const commands = [addNoteCommands];
