/** Command for a host: a command line for the shell, or a program with its arguments. */
export type RemoteCommand = { readonly text: string } | { readonly words: readonly string[] };

export interface Sudo {
	readonly password: string | undefined;
}

export interface RemoteScriptOptions {
	readonly command: RemoteCommand;
	readonly environment: Readonly<Record<string, string>>;
	readonly cwd: string;
	/** Settings for sudo; undefined runs the command without sudo. */
	readonly sudo: Sudo | undefined;
}

/**
 * Command line that the host receives. The script follows on standard input, so that neither the host's process list nor its logs contain
 * it. The script contains a token of the environment, and possibly a password for sudo.
 */
export const shellCommand = "exec /bin/sh -s";

/** Returns `shellCommand` with a variable in the shell's own environment, by which `createSweep` finds the processes. */
export function createMarkedShell(marker: string): string {
	return `exec env ${quote(marker)} /bin/sh -s`;
}

/** Returns the script for standard input. The braces make the shell read the whole script before it starts. */
export function createRemoteScript({ command, environment, cwd, sudo }: RemoteScriptOptions): string {
	const variables = Object.entries(environment).map(([name, value]) => `export ${name}=${quote(value)}`);
	const invocation = sudo === undefined ? toPlain(command) : `${toSudo(sudo)} ${toWords(command).map(quote).join(" ")}`;
	return toScript([...variables, `CDPATH= cd -- ${quote(cwd)} || exit 1`, invocation, "exit $?"]);
}

/** Returns a script for a command of the service, such as a cleanup. */
export function createHousekeeping(text: string, sudo: Sudo | undefined): string {
	return toScript([sudo === undefined ? text : `${toSudo(sudo)} /bin/sh -c ${quote(text)} 2>/dev/null`, "exit $?"]);
}

/**
 * Returns a command that signals the remaining processes of a run, even those that left its process group. It has no effect on hosts
 * without /proc.
 */
export function createSweep(marker: string, signal: "TERM" | "KILL"): string {
	const find = `grep -l -F -e ${quote(marker)} /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | sort -n`;
	// Repeat, because a process that is being ended may just have started another one.
	return `for turn in 1 2 3; do pids=$(${find}); [ -n "$pids" ] || break; kill -${signal} $pids 2>/dev/null; done`;
}

/** Returns the string as a single shell word. */
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
	// If sudo does not request a password, the password remains on standard input. The command must not be able to read it.
	return `printf '%s\\n' ${quote(password)} | sudo -S -E -- /bin/sh -c 'exec "$@" </dev/null' sh`;
}
