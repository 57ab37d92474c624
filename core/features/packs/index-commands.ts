import { type AddCommands, optionsOf, withCommonOptions } from "../../cli/commands/options.ts";
import { CliExit } from "../../cli/context.ts";
import { printList, printRecord } from "../../cli/output.ts";
import { openSession } from "../../cli/session.ts";
import { createPackIndexClient } from "./index-client.ts";

const columns = ["name", "description", "version", "author"];

/** Adds `svc pack search` and `svc pack show`, for packs that can be installed. */
export const addPackIndexCommands: AddCommands = (pack, context) => {
	withCommonOptions(pack.command("search <query>").description("Search packs that can be installed by name.")).action(
		async (query: string, _options, command) => {
			const options = optionsOf(command);
			const items = await createPackIndexClient(await openSession(options, context)).search(query);
			await printList({ items, total: items.length, limit: undefined }, columns, options, context);
		},
	);

	withCommonOptions(pack.command("show <name>").description("Show what the index says of a pack that can be installed by name.")).action(
		async (name: string, _options, command) => {
			const options = optionsOf(command);
			const entry = await createPackIndexClient(await openSession(options, context)).show(name);
			if (entry === undefined) throw new CliExit(2, `Pack "${name}" is in no index.\nTo see what there is: svc pack search <query>`);
			await printRecord(entry, [...columns, "keywords", "repo_url"], options, context);
		},
	);
};
