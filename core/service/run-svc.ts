import { resolve } from "node:path";
import type { AddCommands } from "../cli/commands/options.ts";
import type { CliContext } from "../cli/context.ts";
import { runCli } from "../cli/run-cli.ts";
import { SvcError } from "../contract/errors.ts";
import { version } from "./version.ts";

/**
 * Runs the `svc` command with the commands of the features that every service has, and those of other features; see `runCli`. Does not
 * load the engine, because loading it would delay every command.
 *
 * @param added commands of other features
 */
export function runSvcWith(added: readonly AddCommands[], argv: readonly string[], given: Partial<CliContext> = {}): Promise<number> {
	const findCommands = async () => {
		const { commands } = await import("../features/commands.ts");
		return [...commands, ...added, ...(await readCommands((given.env ?? process.env)["SVC_COMMANDS"] ?? ""))];
	};
	return runCli(argv, { version, commands: findCommands }, given);
}

/** Returns the commands of custom features: the modules listed in `SVC_COMMANDS`, separated by commas, export them as `commands`. */
async function readCommands(paths: string): Promise<readonly AddCommands[]> {
	const added: AddCommands[] = [];
	for (const path of paths.split(",").map((part) => part.trim())) {
		if (path === "") continue;
		// Imported only if needed, because loading the TypeScript transpiler takes time.
		const { importModule } = await import("./import-module.ts");
		const { commands: found } = ((await importModule(resolve(path), "module of SVC_COMMANDS", { interopDefault: false })) ?? {}) as {
			readonly commands?: unknown;
		};
		if (!Array.isArray(found) || found.some((add) => typeof add !== "function")) {
			throw new SvcError(
				"SVC_CONFIG",
				`SVC_COMMANDS: "${path}" must export commands: an array of functions (AddCommands of svc-automation/cli)`,
			);
		}
		added.push(...(found as AddCommands[]));
	}
	return added;
}
