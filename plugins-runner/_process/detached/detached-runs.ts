import { readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { type JsonObject, type Logger, type RunContext, SvcError } from "../../../core/contract/index.ts";
import type { Launcher } from "../launcher.ts";
import { executionMark, signalGroup, withoutMark } from "../process-group.ts";
import type { ProcessOptions } from "../process-run.ts";
import type { ProcessExit } from "../spawner.ts";
import { followProcess, type LastingEnd } from "./detached-process.ts";
import { findGroups, isRunning, readBootId } from "./identity.ts";
import { RunDirectory } from "./run-directory.ts";

/** Process to start, optionally with its standard input. */
export type LastingRequest = Pick<ProcessOptions, "file" | "args" | "cwd" | "env" | "stdin">;

type Context = Pick<RunContext, "execution_id" | "liveaction_id" | "signal" | "emit" | "captured" | "saveState">;

export interface LastingRunsOptions {
	/** Directory that holds a directory for each run. Each runner has its own. */
	readonly directory: string;
	readonly logger: Logger;
}

/** Processes that continue when the service is restarted or killed, and are followed again by the next process of the service. */
export class DetachedRuns {
	readonly #directory: string;
	readonly #logger: Logger;

	constructor({ directory, logger }: LastingRunsOptions) {
		this.#directory = directory;
		this.#logger = logger;
	}

	/**
	 * Starts a process and follows it. Returns `left` if the service stops and the process continues. Throws `SVC_RUNNER` if it was not
	 * started.
	 */
	async run(launcher: Launcher, request: LastingRequest, context: Context): Promise<ProcessExit | "left"> {
		if (context.signal.aborted) return { code: null, signal: "SIGTERM" };
		const directory = this.#open(context);
		await directory.create();
		try {
			await context.saveState({ hostname: hostname(), boot_id: readBootId() });
			await startSupervisor(launcher, request, directory.path);
		} catch (error) {
			await directory.remove();
			throw error;
		}
		const end = await this.#follow(directory, context);
		if (end === "unstarted") throw new SvcError("SVC_RUNNER", `"${request.file}" did not start in time`);
		return end === "unknown" ? { code: null, signal: "SIGKILL" } : end;
	}

	/** Follows a process that an earlier process of the service started. Returns undefined if its end cannot be determined. */
	async recover(state: JsonObject, context: Context): Promise<ProcessExit | "left" | undefined> {
		const directory = this.#open(context);
		if (state["hostname"] !== hostname() || !directory.exists()) return undefined;
		const process = directory.readSupervisor();
		const mayRun = state["boot_id"] === readBootId() && (process === undefined || isRunning(process));
		if (!mayRun && directory.readExitCode() === undefined) {
			await directory.remove();
			return undefined;
		}
		await directory.hold();
		// The process of the service that would have started the run has exited. A run that has not begun within one second will not begin
		// any more.
		const end = await this.#follow(directory, context, { beginTimeoutMs: 1_000 });
		return end === "unknown" || end === "unstarted" ? undefined : end;
	}

	/** Removes the files of a run, once its end has been stored and it cannot be recovered any more. */
	async forget(liveactionId: string): Promise<void> {
		await new RunDirectory(join(this.#directory, liveactionId)).remove();
	}

	/** Kills and removes the runs that no running process of the service follows. */
	async removeForgotten(): Promise<void> {
		const names = await readdir(this.#directory).catch(() => []);
		for (const name of names) {
			const directory = new RunDirectory(join(this.#directory, name));
			if (directory.isFollowed()) continue;
			const process = directory.readSupervisor();
			if (process === undefined && directory.exists() && !(await directory.preventStart())) continue;
			const isAlive = process !== undefined && isRunning(process);
			if (isAlive) for (const group of findGroups(process, undefined)) signalGroup(group, "SIGKILL");
			this.#logger.warn("leftover run removed", { liveaction_id: name, running: isAlive });
			await directory.remove();
		}
	}

	#open({ liveaction_id }: Context): RunDirectory {
		return new RunDirectory(join(this.#directory, liveaction_id));
	}

	async #follow(directory: RunDirectory, context: Context, options: { readonly beginTimeoutMs?: number } = {}): Promise<LastingEnd> {
		return followProcess({
			...options,
			directory,
			signal: context.signal,
			mark: executionMark(context.execution_id),
			deliveredBytes: { stdout: context.captured("stdout").bytes, stderr: context.captured("stderr").bytes },
			onStdout: (text) => context.emit("stdout", text),
			onStderr: (text) => context.emit("stderr", text),
		});
	}
}

async function startSupervisor(launcher: Launcher, { file, args, env, ...request }: LastingRequest, directory: string): Promise<void> {
	let errors = "";
	const { executionId, rest } = withoutMark(env);
	const { code } = await launcher.run({
		...request,
		// Omit the variable by which the launcher finds the processes of an execution. Otherwise the launcher would also find the supervisor
		// when the service dies, and kill it.
		env: rest,
		file: "/bin/sh",
		args: createStarterArguments({ directory, executionId, file, args }),
		signal: new AbortController().signal,
		onStdout() {},
		onStderr(text) {
			errors += text;
		},
	});
	if (code === 0) return;
	throw new SvcError(
		"SVC_RUNNER",
		code === 127 ? "the command setsid is required but not installed" : `the process was not started: ${errors}`,
	);
}

/** Path of the tools that the shell scripts use. It is fixed, because the action may set any PATH. */
const toolPath = "/usr/local/bin:/usr/bin:/bin";

/**
 * Starts the supervisor in a session of its own and returns. `$0` is only a name. Arguments: script of the supervisor, execution id, run
 * directory, program and its arguments. Exits with 127 if the command setsid is missing.
 */
const starterScript = `
path=$PATH
PATH=${toolPath}
command -v setsid >/dev/null || exit 127
supervisor=$1
[ -z "$2" ] || export SVC_ACTION_EXECUTION_ID="$2"
shift 2
exec 3<&0
setsid /bin/sh -c "$supervisor" svc-supervisor "$path" "$@" <&3 3<&- >/dev/null 2>&1 &
`;

/**
 * Runs the program and outlives the service. `$0` is only a name. Arguments: PATH of the action, run directory, program and its arguments.
 * Writes four files to the run directory: its identity (`process`), the output (`stdout`, `stderr`) and, by a rename, the exit code
 * (`status`). Creating `process` is exclusive, so a run starts at most once. The program writes to pipes, as programs expect: a program
 * that opens its output file again could truncate it. The supervisor survives TERM, which is meant for the program, because output that the
 * program still writes must be stored.
 */
const supervisorScript = `
path=$1
directory=$2
shift 2
read -r stat <"/proc/$$/stat"
set -C
{ echo "$stat" >"$directory/process"; } 2>/dev/null || exit
set +C
trap : TERM INT HUP
keep() {
	trap '' TERM INT HUP
	exec cat >>"$directory/$1"
}
{
	{
		trap : TERM INT HUP
		PATH=$path "$@" 2>&3 3>&-
		echo "$?" >"$directory/status.new"
		mv "$directory/status.new" "$directory/status"
	} 2>/dev/null | keep stdout 3>&-
} 3>&1 | keep stderr
`;

/** Returns the arguments for `/bin/sh` that start `file` under a supervisor and return at once. */
function createStarterArguments(run: {
	readonly directory: string;
	/** Empty if the environment has none. */
	readonly executionId: string;
	readonly file: string;
	readonly args: readonly string[];
}): string[] {
	return ["-c", starterScript, "svc-starter", supervisorScript, run.executionId, run.directory, run.file, ...run.args];
}
