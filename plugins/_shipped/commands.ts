import type { AddCommands } from "../../core/cli.ts";
import { addAliasCommands } from "../feature-aliases/commands.ts";
import { addAuditCommands } from "../feature-audit/commands.ts";
import { addPackInstallCommands } from "../feature-pack-installer/commands.ts";
import { addWorkerCommands } from "../feature-workers/commands.ts";

/** The commands of the features of this package that a configuration may leave out. */
export const commands: readonly AddCommands[] = [addPackInstallCommands, addAliasCommands, addAuditCommands, addWorkerCommands];
