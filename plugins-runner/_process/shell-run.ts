import { type JsonObject, type JsonValue, RunAborted, type RunContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { createBaseEnvironment } from "./environment.ts";
import { toExitNumber } from "./exit-number.ts";
import type { Launcher } from "./launcher.ts";
import type { ProcessEnd } from "./process-run.ts";
import { toPythonText } from "./python-text.ts";
import type { shellParameters } from "./shell-parameters.ts";

/** What is run: as it is, and how it is put behind `sudo --`. */
export interface ShellCommand {
	readonly file: string;
	readonly args: readonly string[];
	readonly underSudo: readonly string[];
	/** Where it runs when the action does not say. */
	readonly cwd: string;
	/** Variables that win over the parameter `env`, but not over those of the service. */
	readonly environment?: Readonly<Record<string, string>>;
}

/** Run a command or script of an action: environment, sudo, output, and the result of the execution. */
export async function runShell(launcher: Launcher, context: RunContext<typeof shellParameters>, command: ShellCommand): Promise<RunResult> {
	const { runnerParameters, signal } = context;
	const { sudo, pty } = runnerParameters;
	const password = sudo ? (runnerParameters.sudo_password ?? undefined) : undefined;
	const invocation = sudo
		? { file: "sudo", args: createSudoArguments(command, password !== undefined) }
		: { file: command.file, args: command.args };
	const cwd = toGiven(runnerParameters.cwd) ?? command.cwd;
	const env = createEnvironment(context, command);
	assertNoNul("cwd", cwd);
	for (const argument of invocation.args) assertNoNul("arguments", argument);
	const end = await launcher.run({
		...invocation,
		cwd,
		env,
		pty,
		signal,
		...(password === undefined ? {} : { stdin: `${password}\n` }),
		onStdout: (text) => context.emit("stdout", text),
		onStderr: (text) => context.emit("stderr", text),
	});
	return toRunResult(context, end);
}

/** Refuse a text that would be cut at its NUL on the way to the process. */
export function assertNoNul(parameter: string, text: string): void {
	if (text.includes("\0")) throw new SvcError("SVC_INVALID", `parameter "${parameter}" must not hold a NUL character`);
}

function createSudoArguments({ underSudo }: ShellCommand, hasPassword: boolean): string[] {
	if (!hasPassword) return ["-E", "--", ...underSudo];
	// Where sudo does not ask, the password stays in the standard input: the command must not get to read it.
	return ["-S", "-E", "--", "bash", "-c", 'exec "$@" </dev/null', "bash", ...underSudo];
}

/** An empty text counts as not given, as forms send it. */
function toGiven(text: string | null | undefined): string | undefined {
	return text === "" || text === null ? undefined : text;
}

function createEnvironment(context: RunContext<typeof shellParameters>, command: ShellCommand): Record<string, string> {
	const environment: Record<string, string> = { ...createBaseEnvironment(), PYTHONUNBUFFERED: "1" };
	// A terminal invites colours and pagers, which no execution's output wants.
	if (context.runnerParameters.pty) Object.assign(environment, { NO_COLOR: "1", PAGER: "cat" });
	for (const [name, value] of Object.entries(context.runnerParameters.env ?? {})) {
		if (name === "" || name.includes("=")) throw new SvcError("SVC_INVALID", `parameter "env": "${name}" is not a name of a variable`);
		environment[name] = toPythonText(value);
		assertNoNul("env", name + environment[name]);
	}
	return Object.assign(environment, command.environment, context.environment);
}

function toRunResult(context: RunContext<typeof shellParameters>, end: ProcessEnd): RunResult {
	const { signal, runnerParameters } = context;
	const reason: unknown = signal.aborted ? signal.reason : undefined;
	const timedOut = reason instanceof RunAborted && reason.kind === "timeout";
	const refused = runnerParameters.sudo ? findSudoRefusal(context.captured("stderr").text) : undefined;
	const number = timedOut ? -9 : refused === undefined ? toExitNumber(end) : -1;
	const succeeded = number === 0 && !signal.aborted;
	// Without an abort a KILL or TERM came from outside; the platform reads them as the end of the time and of the worker.
	const status = signal.aborted ? undefined : ({ [-9]: "timeout", [-15]: "abandoned" } as const)[number];
	const error =
		refused ??
		((number === -9 && reason === undefined) || timedOut ? `Action failed to complete in ${runnerParameters.timeout} seconds` : undefined);
	const result = {
		failed: !succeeded,
		succeeded,
		return_code: number,
		...createOutput(context),
		...(error === undefined ? {} : { error }),
	};
	return { succeeded, result, ...(status === undefined ? {} : { status }) };
}

/** stdout and stderr, without the one newline at the end; `truncated` says how many bytes there were of what was cut. */
function createOutput(context: RunContext<typeof shellParameters>): JsonObject {
	const output: Record<string, JsonValue> = {};
	const truncated: Record<string, number> = {};
	for (const type of ["stdout", "stderr"] as const) {
		const captured = context.captured(type);
		output[type] = captured.truncated ? captured.text : captured.text.replace(/\n$/, "").replace(/\r$/, "");
		if (captured.truncated) truncated[type] = captured.bytes;
	}
	return Object.keys(truncated).length === 0 ? output : { ...output, truncated };
}

function findSudoRefusal(text: string): string | undefined {
	if (!/sudo: \d+ incorrect password attempts?/.test(text)) return undefined;
	const [, user = "unknown"] = /\[sudo\] password for (.+?):/.exec(text) ?? [];
	return `Invalid sudo password provided or sudo is not configured for this user (${user})`;
}
