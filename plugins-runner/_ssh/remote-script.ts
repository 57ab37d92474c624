/** What is run on a host: a text for the shell, or a program with its arguments. */
export type RemoteCommand = { readonly text: string } | { readonly words: readonly string[] };

export interface Sudo {
	readonly password: string | undefined;
}

export interface RemoteScriptOptions {
	readonly command: RemoteCommand;
	readonly environment: Readonly<Record<string, string>>;
	readonly cwd: string;
	/** Undefined: without sudo. */
	readonly sudo: Sudo | undefined;
}

/**
 * The command line that the host gets. What is to be run follows on the standard input, where neither the host's list of
 * processes nor its logs show it: the environment holds a token, and there may be a password for sudo.
 */
export const shellCommand = "exec /bin/sh -s";

/** The same with a variable in the shell's own environment, by which a sweep finds it. */
export function createMarkedShell(marker: string): string {
	return `exec env ${quote(marker)} /bin/sh -s`;
}

/** The text for that standard input. In braces, so that the shell has read all of it before it begins. */
export function createRemoteScript({ command, environment, cwd, sudo }: RemoteScriptOptions): string {
	const variables = Object.entries(environment).map(([name, value]) => `export ${name}=${quote(value)}`);
	const invocation = sudo === undefined ? toPlain(command) : `${toSudo(sudo)} ${toWords(command).map(quote).join(" ")}`;
	return toScript([...variables, `CDPATH= cd -- ${quote(cwd)} || exit 1`, invocation, "exit $?"]);
}

/** A script of the service's own, such as one that cleans up. */
export function createHousekeeping(text: string, sudo: Sudo | undefined): string {
	return toScript([sudo === undefined ? text : `${toSudo(sudo)} /bin/sh -c ${quote(text)} 2>/dev/null`, "exit $?"]);
}

/** Signals what a run has started and that still lives, also what has left its group. Where there is no /proc it does nothing. */
export function createSweep(marker: string, signal: "TERM" | "KILL"): string {
	const find = `grep -l -F -e ${quote(marker)} /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | sort -n`;
	// More than once: what is being ended may just have started something.
	return `for turn in 1 2 3; do pids=$(${find}); [ -n "$pids" ] || break; kill -${signal} $pids 2>/dev/null; done`;
}

/** One word for the shell, whatever is in it. */
export function quote(text: string): string {
	if (text !== "" && /^[A-Za-z0-9@%+=:,./_-]+$/.test(text)) return text;
	return `'${text.replaceAll("'", `'\\''`)}'`;
}

function toScript(lines: readonly string[]): string {
	return `{\n${lines.join("\n")}\n}\n`;
}

function toPlain(command: RemoteCommand): string {
	return "text" in command ? `exec </dev/null\neval ${quote(command.text)}` : `${command.words.map(quote).join(" ")} </dev/null`;
}

function toWords(command: RemoteCommand): readonly string[] {
	return "text" in command ? ["/bin/sh", "-c", command.text] : command.words;
}

function toSudo({ password }: Sudo): string {
	if (password === undefined) return "</dev/null sudo -n -E --";
	// Where sudo does not ask, the password stays in the standard input: the command must not get to read it.
	return `printf '%s\\n' ${quote(password)} | sudo -S -E -- /bin/sh -c 'exec "$@" </dev/null' sh`;
}
