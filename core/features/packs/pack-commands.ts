import type { Command } from "commander";
import { type AddCommands, optionsOf, withCommonOptions } from "../../cli/commands/options.ts";
import { type CliContext, CliExit } from "../../cli/context.ts";

import { printList, printRecord } from "../../cli/print-records.ts";
import { openSession } from "../../cli/session.ts";
import { addPackAuthoringCommands } from "./authoring-commands.ts";
import { createPackIndexClient } from "./index-client.ts";
import { addPackViewCommands } from "./pack-view-commands.ts";
import { createPackRegisterClient } from "./register-client.ts";

interface RegisterOptions {
	readonly types?: string;
	readonly skipBroken?: boolean;
}

/** Adds `svc pack register`, which registers packs again. */
function addPackRegisterCommands(pack: Command, context: CliContext): void {
	withCommonOptions(
		pack.command("register [packs...]").description("Have packs be what their files say, without a restart; without names all of them."),
	)
		.option("--types <types>", "only these kinds, such as actions,rules")
		.option("--skip-broken", "leave out files that cannot be used, instead of changing nothing")
		.action(async (packs: string[], _options, command) => {
			const options = optionsOf<RegisterOptions>(command);
			const client = createPackRegisterClient(await openSession(options, context));
			const counts = await client.register({
				...(packs.length > 0 && { packs }),
				...(options.types !== undefined && { types: options.types.split(",").map((type) => type.trim()) }),
				...(options.skipBroken === true && { fail_on_failure: false }),
			});
			await printRecord(counts, Object.keys(counts), options, context);
		});
}

const columns = ["name", "description", "version", "author"];

/** Adds `svc pack search` and `svc pack show`, for packs that can be installed. */
const addPackIndexCommands: AddCommands = (pack, context) => {
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

/** Adds `svc pack`, the commands for whole packs. */
export const addPackCommands: AddCommands = (parent, context) => {
	const pack = parent.command("pack").description("Write packs, and see which there are.");
	addPackViewCommands(pack, context);
	addPackAuthoringCommands(pack, context);
	addPackIndexCommands(pack, context);
	addPackRegisterCommands(pack, context);
};
