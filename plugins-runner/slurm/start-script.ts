import { type JsonValue, SvcError, stringifyJson } from "../../core/contract/index.ts";

/** Program of a job. */
export interface JobProgram {
	/** Command line for the shell, or a file with its arguments. */
	readonly command: { readonly text: string } | { readonly words: readonly string[] };
	readonly cwd: string;
	readonly environment: Readonly<Record<string, string>>;
}

/** Variables that affect Slurm's own commands inside a job. One of them could set a program that is started before each task. */
const ofSlurm = /^(?:SLURM|SBATCH|SALLOC|SRUN|SQUEUE|SINFO|SCANCEL|SACCT|SPANK|_SLURM)(?:_|$)/i;

/**
 * Returns the batch script. Slurm stores it and shows it to other users, so that it contains only the path of the start script. It contains
 * no values of a caller, because sbatch would parse lines of them as options.
 */
export function toBatchScript(directory: string, attempt: number): string {
	return `#!/bin/sh\nexec /bin/sh ${quote(`${directory}/start`)} ${attempt}\n`;
}

/**
 * Returns the script that starts each job of a run. It creates the `claim` file of its attempt and task, or exits if the file exists. So
 * only the first job of an attempt runs, and none if the service has created the file.
 */
export function toStartScript(directory: string, { command, cwd, environment }: JobProgram): string {
	const variables = Object.entries(environment).map(([name, value]) => `export ${toName(name)}=${quote(value)}`);
	const invocation = "text" in command ? `/bin/sh -c ${quote(command.text)}` : command.words.map(quote).join(" ");
	return [
		`directory=${quote(directory)}`,
		"task=${SLURM_ARRAY_TASK_ID:-0}",
		'(set -C; printf "%s\\n" "${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}" >"$directory/claim.$1.$task") 2>/dev/null || exit 0',
		'date +%s >"$directory/began.$task"',
		// Without this, the steps of a job that was submitted without its environment would have no environment either.
		"export SLURM_EXPORT_ENV=ALL",
		'export PATH="${PATH:-/usr/local/bin:/usr/bin:/bin}"',
		'[ -z "${SLURM_ARRAY_TASK_ID:-}" ] || export SVC_ITEM_INDEX="$task"',
		'if [ -f "$directory/item.$task" ]; then',
		'	SVC_ITEM="$(cat "$directory/item.$task"; printf .)"',
		'	export SVC_ITEM="${SVC_ITEM%.}"',
		"fi",
		// A subshell: a variable of the action may have the name of a variable of this script.
		"(",
		...variables,
		`CDPATH= cd -- ${quote(cwd)} || exit 1`,
		`exec ${invocation}`,
		") </dev/null",
		"code=$?",
		'printf "%s\\n" "$code" >"$directory/status.$task.new" && mv "$directory/status.$task.new" "$directory/status.$task"',
		"exit $code",
		"",
	].join("\n");
}

/** Returns an item as the value of an environment variable. */
export function toItemText(item: JsonValue): string {
	const text = typeof item === "string" ? item : stringifyJson(item);
	if (text.includes("\0")) throw new SvcError("SVC_INVALID", 'parameter "array": an item must not contain a NUL character');
	if (text.length > 100_000) throw new SvcError("SVC_INVALID", 'parameter "array": an item must not be longer than 100000 characters');
	return text;
}

function toName(name: string): string {
	if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new SvcError("SVC_INVALID", `parameter "env": "${name}" is not a valid variable name`);
	if (ofSlurm.test(name))
		throw new SvcError("SVC_INVALID", `parameter "env": "${name}" is a variable of Slurm's commands, which actions may not set`);
	return name;
}

function quote(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`;
}
