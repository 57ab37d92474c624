import type { AddCommands } from "../../cli/commands/options.ts";
import { addPackAuthoringCommands } from "./authoring-commands.ts";
import { addPackIndexCommands } from "./index-commands.ts";
import { addPackViewCommands } from "./pack-view-commands.ts";
import { addPackRegisterCommands } from "./register-commands.ts";

/** Adds `svc pack`, the commands for whole packs. */
export const addPackCommands: AddCommands = (parent, context) => {
	const pack = parent.command("pack").description("Write packs, and see which there are.");
	addPackViewCommands(pack, context);
	addPackAuthoringCommands(pack, context);
	addPackIndexCommands(pack, context);
	addPackRegisterCommands(pack, context);
};
