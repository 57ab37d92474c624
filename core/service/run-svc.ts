import type { CliContext } from "../cli/context.ts";
import { runCli } from "../cli/run-cli.ts";
import { commands } from "../features/commands.ts";
import { version } from "./version.ts";

/** The `svc` command with the commands of all features; see `runCli`. Loads no engine, as every command would wait for that. */
export function runSvc(argv: readonly string[], given: Partial<CliContext> = {}): Promise<number> {
	return runCli(argv, { version, commands }, given);
}
