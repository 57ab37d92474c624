import type { Command } from "commander";
import { ClientHandlers } from "../../cli/commands/client-handlers.ts";
import { type AddCommands, withCommonOptions } from "../../cli/commands/options.ts";
import type { CliContext } from "../../cli/context.ts";
import { printRecord } from "../../cli/print-records.ts";
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
		.action(
			new ClientHandlers(createPackRegisterClient, context).run<RegisterOptions, [packs: readonly string[]]>(
				async (client, options, packs) => {
					const counts = await client.register({
						...(packs.length > 0 && { packs }),
						...(options.types !== undefined && { types: options.types.split(",").map((type) => type.trim()) }),
						...(options.skipBroken === true && { fail_on_failure: false }),
					});
					await printRecord(counts, Object.keys(counts), options, context);
				},
			),
		);
}

/** Adds `svc pack`, the commands for whole packs. */
export const addPackCommands: AddCommands = (parent, context) => {
	const pack = parent.command("pack").description("Write packs, and see which there are.");
	addPackViewCommands(pack, context);
	addPackRegisterCommands(pack, context);
};
