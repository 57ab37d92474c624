import type { CliContext } from "../../core/cli/context.ts";
import type { AddCommands } from "../../core/cli.ts";
import { runSvcWith } from "../../core/service/run-svc.ts";
import { addAliasCommands } from "../feature-aliases/commands.ts";
import { addAuditCommands } from "../feature-audit/commands.ts";
import { addPackInstallCommands } from "../feature-pack-installer/commands.ts";
import { addPackAuthoringCommands } from "../feature-pack-tools/commands.ts";
import { addWorkerCommands } from "../feature-workers/commands.ts";
import { addConformCommand } from "./conform-commands.ts";
import { addCreateCommand } from "./create-commands.ts";

/** Commands for authors of packages, and those of the features of this package that a configuration may leave out. */
export const commands: readonly AddCommands[] = [
	addCreateCommand,
	addConformCommand,
	addPackAuthoringCommands,
	addPackInstallCommands,
	addAliasCommands,
	addAuditCommands,
	addWorkerCommands,
];

/** Runs the `svc` command with all commands of this package. */
export function runSvc(argv: readonly string[], given: Partial<CliContext> = {}): Promise<number> {
	return runSvcWith(commands, argv, given);
}
