import { existsSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type PluginContext, type RunContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { DetachedRuns } from "./detached/detached-runs.ts";
import { runsDirectory } from "./detached/run-directory.ts";
import { createLauncherAccess } from "./launcher-handle.ts";
import type { shellParameters } from "./shell-parameters.ts";
import { createShellRequest, runShell, type ShellCommand, toShellResult } from "./shell-run.ts";

export interface ShellOptions {
	/**
	 * True if processes continue when the service is restarted or killed, and the service follows them again. Needs Linux and the command
	 * setsid. Output is then written to files in the data directory. Actions with `svc_pty` are excluded. Default false.
	 */
	readonly survive_restart?: boolean;
}

/** Milliseconds after the start until runs that were not recovered are removed. */
const forgottenAfterMs = 600_000;

type Context = RunContext<typeof shellParameters>;

/** Lifecycle and runs of a runner of shell commands. */
export interface ShellRuns {
	check(): Promise<void>;
	start(context: PluginContext): Promise<void>;
	stop(): Promise<void>;
	run(context: Context, command: ShellCommand): Promise<RunResult>;
	recover(context: Context, state: JsonObject): Promise<RunResult | undefined>;
	afterRun(run: { readonly liveaction_id: string }): Promise<void>;
}

/**
 * Creates the shell access of one runner.
 * @param name Name of the runner; it separates its runs from those of other runners.
 */
export function createShellRuns(name: string, { survive_restart = false }: ShellOptions): ShellRuns {
	const access = createLauncherAccess();
	let activeRuns: DetachedRuns | undefined;
	let timer: NodeJS.Timeout | undefined;
	return {
		check: async () => assertCanSurvive(name, survive_restart),
		async start(context) {
			assertCanSurvive(name, survive_restart);
			const directory = toRunsDirectory(context, name);
			const lastingRuns = new DetachedRuns({ directory, logger: context.logger });
			const endForgotten = () =>
				lastingRuns.removeForgotten().catch((error: unknown) => context.logger.warn("leftover runs could not be removed", { error }));
			if (survive_restart) {
				activeRuns = lastingRuns;
				timer = setTimeout(() => void endForgotten(), forgottenAfterMs).unref();
			} else if (existsSync(directory)) await endForgotten();
			access.start(context);
		},
		async stop() {
			clearTimeout(timer);
			await access.stop();
		},
		async run(context, command) {
			if (activeRuns === undefined || context.runnerParameters.svc_pty) return runShell(access.launcher, context, command);
			const end = await activeRuns.run(access.launcher, createShellRequest(context, command), context);
			return end === "left" ? runningResult : toShellResult(context, end);
		},
		async recover(context, state) {
			const end = await activeRuns?.recover(state, context);
			if (end === undefined) return undefined;
			return end === "left" ? runningResult : toShellResult(context, end);
		},
		async afterRun({ liveaction_id }) {
			await activeRuns?.forget(liveaction_id);
		},
	};
}

/**
 * Throws `SVC_CONFIG` if `survive_restart` is not a boolean, or is true without `/proc`. The type does not protect callers in plain
 * JavaScript.
 */
function assertCanSurvive(name: string, survive: unknown): void {
	if (typeof survive !== "boolean") throw new SvcError("SVC_CONFIG", `survive_restart of runner "${name}" must be true or false`);
	if (survive && !existsSync("/proc/self/stat")) {
		throw new SvcError("SVC_CONFIG", `survive_restart of runner "${name}" requires /proc, which this system does not have`);
	}
}

/** Returns true if a run that an earlier process of the service started may still continue. */
export function hasLastingRun(context: PluginContext, name: string, liveactionId: string): boolean {
	return existsSync(join(toRunsDirectory(context, name), liveactionId));
}

function toRunsDirectory({ dataDirectory }: PluginContext, name: string): string {
	return join(runsDirectory(dataDirectory), name);
}

const runningResult: RunResult = { succeeded: false, status: "running", result: {} };
