import { readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { type JsonObject, type Logger, type RunContext, SvcError } from "../../../core/contract/index.ts";
import type { Launcher } from "../launcher.ts";
import { executionMark, signalGroup, withoutMark } from "../process-group.ts";
import type { ProcessOptions } from "../process-run.ts";
import type { ProcessExit } from "../spawner.ts";
import { findGroups, isRunning, readBootId } from "./identity.ts";
import { followProcess, type LastingEnd } from "./lasting-process.ts";
import { RunDirectory } from "./run-directory.ts";

/** What is started; its standard input may be given, its output goes to the context. */
export type LastingRequest = Pick<ProcessOptions, "file" | "args" | "cwd" | "env" | "stdin">;

type Context = Pick<RunContext, "execution_id" | "liveaction_id" | "signal" | "emit" | "captured" | "saveState">;

export interface LastingRunsOptions {
	/** Holds a directory for each run; one runner's alone. */
	readonly directory: string;
	readonly logger: Logger;
}

/** Processes that go on when the service is restarted or killed, and are found again. */
export class LastingRuns {
	readonly #directory: string;
	readonly #logger: Logger;

	constructor({ directory, logger }: LastingRunsOptions) {
		this.#directory = directory;
		this.#logger = logger;
	}

	/** Start a process and follow it. `left`: the service stops, and the process goes on. */
	async run(launcher: Launcher, request: LastingRequest, context: Context): Promise<ProcessExit | "left"> {
		if (context.signal.aborted) return { code: null, signal: "SIGTERM" };
		const directory = this.#open(context);
		await directory.create();
		try {
			await context.saveState({ hostname: hostname(), boot_id: readBootId() });
			await start(launcher, request, directory.path);
		} catch (error) {
			await directory.remove();
			throw error;
		}
		const end = await this.#follow(directory, context);
		if (end === "unstarted") throw new SvcError("SVC_RUNNER", `"${request.file}" was not started within its time`);
		return end === "unknown" ? { code: null, signal: "SIGKILL" } : end;
	}

	/** Follow a process that an earlier process of the service has started; undefined when there is no telling what became of it. */
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
		// Whoever was to start it is gone: what has not begun by now hardly will.
		const end = await this.#follow(directory, context, { beginTimeoutMs: 1_000 });
		return end === "unknown" || end === "unstarted" ? undefined : end;
	}

	/** The end of a run has been stored: nobody will ask for it any more. */
	async forget(liveactionId: string): Promise<void> {
		await new RunDirectory(join(this.#directory, liveactionId)).remove();
	}

	/** End what nobody follows and nobody has asked for. */
	async removeForgotten(): Promise<void> {
		const names = await readdir(this.#directory).catch(() => []);
		for (const name of names) {
			const directory = new RunDirectory(join(this.#directory, name));
			if (directory.isFollowed()) continue;
			const process = directory.readSupervisor();
			if (process === undefined && directory.exists() && !(await directory.preventStart())) continue;
			const runs = process !== undefined && isRunning(process);
			if (runs) for (const group of findGroups(process, undefined)) signalGroup(group, "SIGKILL");
			this.#logger.warn("forgotten run removed", { liveaction_id: name, running: runs });
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

async function start(launcher: Launcher, { file, args, env, ...request }: LastingRequest, directory: string): Promise<void> {
	let errors = "";
	const { executionId, rest } = withoutMark(env);
	const { code } = await launcher.run({
		...request,
		// The starter is not known by its execution: when the service dies, what it leaves behind must not be ended with it.
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
	throw new SvcError("SVC_RUNNER", code === 127 ? "the command setsid is needed and not there" : `the process was not started: ${errors}`);
}

/**
 * Shell texts that start a process which outlives the service. `$0` is only a name. Tools are looked for in a path of our own, as
 * the action may set any.
 */
const tools = "/usr/local/bin:/usr/bin:/bin";

/** Arguments: supervisor text, execution id, run directory, program, its arguments. Leaves the supervisor behind in a session of its own. */
const starter = `
path=$PATH
PATH=${tools}
command -v setsid >/dev/null || exit 127
supervisor=$1
[ -z "$2" ] || export SVC_ACTION_EXECUTION_ID="$2"
shift 2
exec 3<&0
setsid /bin/sh -c "$supervisor" svc-supervisor "$path" "$@" <&3 3<&- >/dev/null 2>&1 &
`;

/**
 * Arguments: the action's PATH, run directory, program, its arguments. Writes to the run directory what identifies it (\`process\`,
 * which only one may make), the output (\`stdout\`, \`stderr\`) and, in one piece, the exit code (\`status\`). The output goes
 * through pipes, as programs know them: a file could be cut short by whoever opens it again. TERM is for the program; whatever
 * it still prints then must be kept.
 */
const supervisor = `
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

/** Arguments for `/bin/sh` that start `file` under a supervisor and return at once. */
function createStarterArguments(run: {
	readonly directory: string;
	/** Empty: none. */
	readonly executionId: string;
	readonly file: string;
	readonly args: readonly string[];
}): string[] {
	return ["-c", starter, "svc-starter", supervisor, run.executionId, run.directory, run.file, ...run.args];
}
