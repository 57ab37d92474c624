import { RunAborted, type RunContext, type RunResult } from "../../core/contract/index.ts";
import { assertNoNul, createOutputResult, findSudoRefusal, toEnvironment, toSignalError } from "../_shell/index.ts";
import { baseEnvironment } from "./environment.ts";
import { toExitNumber } from "./exit-number.ts";
import type { Launcher } from "./launcher.ts";
import type { shellParameters } from "./shell-parameters.ts";
import type { ProcessExit } from "./spawner.ts";

/** What is run: as it is, and how it is put behind `sudo --`. */
export interface ShellCommand {
	readonly file: string;
	readonly args: readonly string[];
	readonly sudoArguments: readonly string[];
	/** Where it runs when the action does not say. */
	readonly cwd: string;
	/** Variables that win over the parameter `env`, but not over those of the service. */
	readonly environment?: Readonly<Record<string, string>>;
}

/** Run a command or script of an action: environment, sudo, output, and the result of the execution. */
export async function runShell(launcher: Launcher, context: RunContext<typeof shellParameters>, command: ShellCommand): Promise<RunResult> {
	// What is spread comes last: behind it each member would cost as much as all the rest.
	const end = await launcher.run({
		pty: context.runnerParameters.svc_pty,
		signal: context.signal,
		onStdout: (text) => context.emit("stdout", text),
		onStderr: (text) => context.emit("stderr", text),
		onBytes: context.emit.bytes,
		...createShellRequest(context, command),
	});
	return toShellResult(context, end);
}

/** The process that runs a command or script of an action. */
export function createShellRequest(context: RunContext<typeof shellParameters>, command: ShellCommand) {
	const { runnerParameters } = context;
	const { sudo } = runnerParameters;
	const password = sudo ? (runnerParameters.sudo_password ?? undefined) : undefined;
	const file = sudo ? "sudo" : command.file;
	const args = sudo ? createSudoArguments(command, password !== undefined) : command.args;
	const cwd = toGiven(runnerParameters.cwd) ?? command.cwd;
	assertNoNul("cwd", cwd);
	for (const argument of args) assertNoNul("arguments", argument);
	const env = createEnvironment(context, command);
	return password === undefined ? { file, args, cwd, env } : { file, args, cwd, env, stdin: `${password}\n` };
}

function createSudoArguments({ sudoArguments }: ShellCommand, hasPassword: boolean): string[] {
	if (!hasPassword) return ["-E", "--", ...sudoArguments];
	// Where sudo does not ask, the password stays in the standard input: the command must not get to read it.
	return ["-S", "-E", "--", "bash", "-c", 'exec "$@" </dev/null', "bash", ...sudoArguments];
}

/** An empty text counts as not given, as forms send it. */
function toGiven(text: string | null | undefined): string | undefined {
	return text === "" || text === null ? undefined : text;
}

function createEnvironment(context: RunContext<typeof shellParameters>, command: ShellCommand): Record<string, string> {
	const environment: Record<string, string> = { PYTHONUNBUFFERED: "1", ...baseEnvironment() };
	// A terminal invites colours and pagers, which no execution's output wants.
	if (context.runnerParameters.svc_pty) Object.assign(environment, { NO_COLOR: "1", PAGER: "cat" });
	return Object.assign(environment, toEnvironment(context.runnerParameters.env), command.environment, context.environment);
}

/** The result of an execution whose process has ended. */
export function toShellResult(context: RunContext<typeof shellParameters>, end: ProcessExit): RunResult {
	const { signal, runnerParameters } = context;
	const reason: unknown = signal.aborted ? signal.reason : undefined;
	const timedOut = reason instanceof RunAborted && reason.kind === "timeout";
	const refused = runnerParameters.sudo ? findSudoRefusal(context.captured("stderr").text) : undefined;
	const number = timedOut ? -9 : refused === undefined ? toExitNumber(end) : -1;
	const succeeded = number === 0 && !signal.aborted;
	// Without an abort a KILL or TERM came from outside. The platform gives them the statuses of a time-out and of a worker that stops.
	const status = signal.aborted ? undefined : ({ [-9]: "timeout", [-15]: "abandoned" } as const)[number];
	const late = timedOut ? `Action failed to complete in ${runnerParameters.timeout} seconds` : undefined;
	const error = refused ?? late ?? (signal.aborted ? undefined : toSignalError(number));
	const output = createOutputResult((type) => context.captured(type));
	const result = { failed: !succeeded, succeeded, return_code: number, ...output, ...(error === undefined ? undefined : { error }) };
	return status === undefined ? { succeeded, result } : { succeeded, result, status };
}
