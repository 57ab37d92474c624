import { RunAborted, type RunContext, type RunResult } from "../../core/contract/index.ts";
import { assertNoNul, createOutputResult, findSudoRefusal, toEnvironment, toSignalError } from "../_shell/index.ts";
import { baseEnvironment } from "./environment.ts";
import type { Launcher } from "./launcher.ts";
import { toReturnCode } from "./return-code.ts";
import type { shellParameters } from "./shell-parameters.ts";
import type { ProcessExit } from "./spawner.ts";

/** Command of an action: as it runs directly, and the arguments after `sudo --`. */
export interface ShellCommand {
	readonly file: string;
	readonly args: readonly string[];
	readonly sudoArguments: readonly string[];
	/** Working directory, unless the action gives one. */
	readonly cwd: string;
	/** Variables that override the parameter `env`, but not the variables of the service. */
	readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a command or script of an action. Returns the result of the execution. */
export async function runShell(launcher: Launcher, context: RunContext<typeof shellParameters>, command: ShellCommand): Promise<RunResult> {
	// Spread last: members after a spread are added to the object one by one, which costs as much as everything else here.
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

/**
 * Returns the request to start the process of a command or script: file, arguments, directory, environment and standard input. Throws if an
 * argument or `cwd` contains a NUL character.
 */
export function createShellRequest(context: RunContext<typeof shellParameters>, command: ShellCommand) {
	const { runnerParameters } = context;
	const { sudo } = runnerParameters;
	const password = sudo ? (runnerParameters.sudo_password ?? undefined) : undefined;
	const file = sudo ? "sudo" : command.file;
	const args = sudo ? createSudoArguments(command, password !== undefined) : command.args;
	const cwd = toNonEmpty(runnerParameters.cwd) ?? command.cwd;
	assertNoNul("cwd", cwd);
	for (const argument of args) assertNoNul("arguments", argument);
	const env = createEnvironment(context, command);
	return password === undefined ? { file, args, cwd, env } : { file, args, cwd, env, stdin: `${password}\n` };
}

function createSudoArguments({ sudoArguments }: ShellCommand, hasPassword: boolean): string[] {
	if (!hasPassword) return ["-E", "--", ...sudoArguments];
	// If sudo does not prompt, the password remains in the standard input, and the command must not be able to read it.
	return ["-S", "-E", "--", "bash", "-c", 'exec "$@" </dev/null', "bash", ...sudoArguments];
}

/** Returns undefined for an empty string, because forms send one if a field is not filled in. */
function toNonEmpty(text: string | null | undefined): string | undefined {
	return text === "" || text === null ? undefined : text;
}

function createEnvironment(context: RunContext<typeof shellParameters>, command: ShellCommand): Record<string, string> {
	const environment: Record<string, string> = { PYTHONUNBUFFERED: "1", ...baseEnvironment() };
	// A terminal makes programs use colours and pagers, which are useless in the output of an execution.
	if (context.runnerParameters.svc_pty) Object.assign(environment, { NO_COLOR: "1", PAGER: "cat" });
	return Object.assign(environment, toEnvironment(context.runnerParameters.env), command.environment, context.environment);
}

/** Returns the result of an execution whose process has ended. */
export function toShellResult(context: RunContext<typeof shellParameters>, end: ProcessExit): RunResult {
	const { signal, runnerParameters } = context;
	const reason: unknown = signal.aborted ? signal.reason : undefined;
	const isTimedOut = reason instanceof RunAborted && reason.kind === "timeout";
	const sudoRefusal = runnerParameters.sudo ? findSudoRefusal(context.captured("stderr").text) : undefined;
	const returnCode = isTimedOut ? -9 : sudoRefusal === undefined ? toReturnCode(end) : -1;
	const succeeded = returnCode === 0 && !signal.aborted;
	// If the signal was not aborted, KILL or TERM was sent from outside the service. The platform's statuses for them are those of a
	// timeout and of a stopped worker.
	const status = signal.aborted ? undefined : ({ [-9]: "timeout", [-15]: "abandoned" } as const)[returnCode];
	const timeoutMessage = isTimedOut ? `Action failed to complete in ${runnerParameters.timeout} seconds` : undefined;
	const error = sudoRefusal ?? timeoutMessage ?? (signal.aborted ? undefined : toSignalError(returnCode));
	const output = createOutputResult((type) => context.captured(type));
	const result = { failed: !succeeded, succeeded, return_code: returnCode, ...output, ...(error === undefined ? undefined : { error }) };
	return status === undefined ? { succeeded, result } : { succeeded, result, status };
}
