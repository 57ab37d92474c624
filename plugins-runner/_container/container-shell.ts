import { dirname, relative } from "node:path";
import type { JsonObject, RunContext, RunResult } from "../../core/contract/index.ts";
import { toEnvironment } from "../_shell/index.ts";
import { toArchive } from "./archive.ts";
import { OptInContainers } from "./container-opt-in.ts";
import { type ContainerWork, toContainerResult } from "./container-runs.ts";
import { toPackEntries } from "./pack-archive.ts";
import { toShellVariables } from "./shell-variables.ts";

type Context = RunContext & {
	readonly runnerParameters: {
		readonly svc_container?: string | null | undefined;
		readonly sudo?: boolean;
		readonly svc_pty?: boolean;
		readonly cwd?: string | null | undefined;
		readonly env?: JsonObject | null | undefined;
		readonly timeout?: number;
	};
};

/** A command line, or a script of a pack with its arguments. */
export type ShellProgram = { readonly environment: Readonly<Record<string, string>> } & (
	| { readonly cmd: string }
	| { readonly entryPoint: string; readonly packDirectory: string | undefined; readonly args: readonly string[] }
);

/** Directory of the run's files in its container. */
const directory = "/svc";

/** Runs commands and scripts of a local runner in containers. */
export class ContainerShell extends OptInContainers {
	async run(context: Context, toProgram: () => Promise<ShellProgram>): Promise<RunResult> {
		return toContainerResult(context, await this.runWork(context, async () => toWork(context, await toProgram())));
	}

	async recover(context: Context, state: JsonObject, toProgram: () => Promise<ShellProgram>): Promise<RunResult | undefined> {
		const end = await this.recoverWork(context, state, async () => toWork(context, await toProgram()));
		return end === undefined ? undefined : toContainerResult(context, end);
	}
}

/**
 * Returns the container's program and files. Variables and the command are passed in files, because any user who may inspect containers can
 * read a container's description.
 */
async function toWork({ runnerParameters, environment }: Context, program: ShellProgram): Promise<ContainerWork> {
	const variables = { ...toEnvironment(runnerParameters.env), ...program.environment, ...environment };
	const files = [{ path: "environment", mode: 0o444, content: Buffer.from(toShellVariables(variables)) }];
	const begin = `. ${directory}/environment; cd "$0" || exit; `;
	const run = { image: String(runnerParameters.svc_container), imageParameter: "svc_container", environment: {}, directory };
	if ("cmd" in program) {
		const archive = toArchive([...files, { path: "command", mode: 0o444, content: Buffer.from(program.cmd) }]);
		const entrypoint = ["/bin/sh", "-c", `${begin}exec /bin/sh ${directory}/command`, runnerParameters.cwd || "/"];
		return { program: { ...run, entrypoint, command: [] }, limits: {}, archive };
	}
	const pack = program.packDirectory ?? dirname(program.entryPoint);
	const script = `${directory}/pack/${relative(pack, program.entryPoint)}`;
	const archive = toArchive([...files, ...(await toPackEntries(pack, "pack"))]);
	const entrypoint = ["/bin/sh", "-c", `${begin}exec "$@"`, runnerParameters.cwd || `${directory}/pack`];
	return { program: { ...run, entrypoint, command: [script, ...program.args] }, limits: {}, archive };
}
