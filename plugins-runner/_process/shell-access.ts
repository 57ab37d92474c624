import { existsSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type PluginContext, type RunContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { LastingRuns } from "./lasting/lasting-runs.ts";
import { runsDirectory } from "./lasting/run-directory.ts";
import { createLauncherAccess } from "./launcher-access.ts";
import type { shellParameters } from "./shell-parameters.ts";
import { createShellRequest, runShell, type ShellCommand, toShellResult } from "./shell-run.ts";

export interface ShellOptions {
	/**
	 * Whether processes go on when the service is restarted or killed, and are found again. Needs Linux and the command setsid;
	 * output then goes through files in the data directory. Actions with `svc_pty` are left out. Default false.
	 */
	readonly survive_restart?: boolean;
}

/** Milliseconds after which nobody can want a run any more that has not been asked for. */
const forgottenAfter = 600_000;

type Context = RunContext<typeof shellParameters>;

/** Life and runs of a runner of shell commands. */
export interface ShellAccess {
	check(): Promise<void>;
	start(context: PluginContext): Promise<void>;
	stop(): Promise<void>;
	run(context: Context, command: ShellCommand): Promise<RunResult>;
	recover(context: Context, state: JsonObject): Promise<RunResult | undefined>;
	afterRun(run: { readonly liveaction_id: string }): Promise<void>;
}

/** @param name of the runner, which keeps its runs apart from those of others */
export function createShellAccess(name: string, { survive_restart = false }: ShellOptions): ShellAccess {
	const access = createLauncherAccess();
	let runs: LastingRuns | undefined;
	let timer: NodeJS.Timeout | undefined;
	return {
		check: async () => assertCanSurvive(name, survive_restart),
		async start(context) {
			assertCanSurvive(name, survive_restart);
			const directory = toRunsDirectory(context, name);
			const lasting = new LastingRuns({ directory, logger: context.logger });
			const endForgotten = () =>
				lasting.removeForgotten().catch((error: unknown) => context.logger.warn("forgotten runs were not removed", { error }));
			if (survive_restart) {
				runs = lasting;
				timer = setTimeout(() => void endForgotten(), forgottenAfter).unref();
			} else if (existsSync(directory)) await endForgotten();
			await access.start(context);
		},
		async stop() {
			clearTimeout(timer);
			await access.stop();
		},
		async run(context, command) {
			if (runs === undefined || context.runnerParameters.svc_pty) return runShell(access.launcher, context, command);
			const end = await runs.run(access.launcher, createShellRequest(context, command), context);
			return end === "left" ? leftRunning : toShellResult(context, end);
		},
		async recover(context, state) {
			const end = await runs?.recover(state, context);
			if (end === undefined) return undefined;
			return end === "left" ? leftRunning : toShellResult(context, end);
		},
		async afterRun({ liveaction_id }) {
			await runs?.forget(liveaction_id);
		},
	};
}

/** Plain JavaScript may say anything, and what only looks true must not count as half. */
function assertCanSurvive(name: string, survive: unknown): void {
	if (typeof survive !== "boolean") throw new SvcError("SVC_CONFIG", `survive_restart of runner "${name}" must be true or false`);
	if (survive && !existsSync("/proc/self/stat")) {
		throw new SvcError("SVC_CONFIG", `survive_restart of runner "${name}" needs /proc, which this system does not have`);
	}
}

/** Whether a run that an earlier process of the service began may still go on. */
export function hasLastingRun(context: PluginContext, name: string, liveactionId: string): boolean {
	return existsSync(join(toRunsDirectory(context, name), liveactionId));
}

function toRunsDirectory({ dataDirectory }: PluginContext, name: string): string {
	return join(runsDirectory(dataDirectory), name);
}

const leftRunning: RunResult = { succeeded: false, status: "running", result: {} };
