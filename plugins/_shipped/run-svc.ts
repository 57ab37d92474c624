import type { CliContext } from "../../core/cli/context.ts";
import { runSvcWith } from "../../core/service/run-svc.ts";

/** Runs the `svc` command with the commands of all features of this package. */
export function runSvc(argv: readonly string[], given: Partial<CliContext> = {}): Promise<number> {
	return runSvcWith(async () => (await import("./commands.ts")).commands, argv, given);
}
