import {
	type AddCommands,
	limitOption,
	openSession,
	optionsOf,
	printList,
	printRecord,
	toInteger,
	withCommonOptions,
} from "svc-automation/cli";
import type { NoteEntity } from "./notes.ts";

const path = "/template-name/notes";
const columns = ["created_at", "user", "text"];

const addNoteCommands: AddCommands = (parent, context) => {
	const group = parent.command("template-name").description("Manage notes.");

	withCommonOptions(group.command("list").description("List notes, newest first."))
		.option(...limitOption, toInteger, 50)
		.action(async (_options, command) => {
			const options = optionsOf<{ readonly limit: number }>(command);
			const api = await openSession(options, context);
			const page = await api.list<NoteEntity>(path, { limit: options.limit });
			await printList(page, columns, { ...options, limitOption: "-n" }, context);
		});

	withCommonOptions(group.command("create <text>").description("Create a note.")).action(async (text: string, _options, command) => {
		const options = optionsOf(command);
		const api = await openSession(options, context);
		await printRecord(await api.read<NoteEntity>(path, { method: "POST", body: { text } }), ["id", ...columns], options, context);
	});
};

/** Commands that `svc` has if `SVC_COMMANDS` names this module. */
export const commands = [addNoteCommands];
