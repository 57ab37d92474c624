import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { SvcError } from "../../core/contract/index.ts";
import { type ListedTask, parseSacct, parseSqueue, sacctFormat, squeueFormat } from "./job-state.ts";
import type { SlurmOptions } from "./options.ts";

/** Maximum milliseconds of a command. Slurm's own commands wait ten seconds and more for a controller that does not respond. */
const commandTimeoutMs = 60_000;
const maxOutput = 64 * 1024 * 1024;

/** The controller did not respond. It may still have carried out the request. */
export class SlurmUnreachable extends Error {
	override readonly name = "SlurmUnreachable";
}

/** Error messages of Slurm's commands for a failed connection. The request itself is valid and can be retried. */
const unreachable = [
	"Unable to contact slurm controller",
	"Socket timed out",
	"Connection refused",
	"Connection timed out",
	"Connection reset",
	"Zero Bytes were transmitted",
	"Unexpected message received",
	"Transport endpoint is not connected",
	"Unexpected missing socket error",
	"Slurm backup controller in standby mode",
	"Protocol authentication error",
	"Munge encode failed",
	"temporarily unable to",
	"temporarily disabled",
	"Slurm temporarily",
	"Could not establish a configuration source",
	// Errors of slurmdbd, as sacct prints them.
	"Problem talking to the database",
	"persistent connection",
	"PersistInit",
] as const;

export interface Submission {
	readonly name: string;
	readonly comment: string;
	readonly script: string;
	readonly args: readonly string[];
	/** Kills the command. It is then in doubt whether the job was submitted. */
	readonly signal: AbortSignal;
}

/** Runs Slurm's commands without a shell and without the environment of the service. */
export class SlurmCommands {
	readonly #options: SlurmOptions;
	#accounting: Promise<boolean> | undefined;

	constructor(options: SlurmOptions) {
		this.#options = options;
	}

	/** Throws `SVC_CONFIG` if a command does not exist. */
	assertThere(): void {
		for (const command of ["sbatch", "squeue", "scancel", "scontrol"]) {
			const directories =
				this.#options.bin_directory === undefined ? (process.env["PATH"] ?? "").split(delimiter) : [this.#options.bin_directory];
			if (directories.some((directory) => isExecutable(join(directory, command)))) continue;
			throw new SvcError(
				"SVC_CONFIG",
				`runner "slurm" needs the command ${command}, which is not in ${directories.join(", ")} (Debian: slurm-client)`,
			);
		}
	}

	/** Submits a job and returns its id. */
	async submit({ name, comment, script, args, signal }: Submission): Promise<string> {
		const fixed = [
			"--parsable",
			`--job-name=${name}`,
			`--comment=${comment}`,
			"--no-requeue",
			"--open-mode=append",
			"--export=ALL",
			"--input=/dev/null",
		];
		const answer = await this.#run("sbatch", [...fixed, ...args], { input: script, signal });
		// The output is `<id>` or `<id>;<cluster>`.
		const id = answer.trim().split("\n").at(-1)?.split(";")[0] ?? "";
		if (!/^\d+$/.test(id)) throw new SlurmUnreachable(`sbatch has answered "${answer.slice(0, 200)}" instead of the number of a job`);
		return id;
	}

	/** Returns the tasks of these jobs. Slurm lists ended jobs for some minutes. */
	async list(jobIds: readonly string[]): Promise<readonly ListedTask[]> {
		try {
			return parseSqueue(await this.#run("squeue", [...squeueArguments, `--jobs=${jobIds.join(",")}`]));
		} catch (error) {
			// squeue prints this error if it has no record of any of the jobs.
			if (error instanceof SvcError && error.message.includes("Invalid job id")) return [];
			throw error;
		}
	}

	/**
	 * Returns the id of the job with this name and comment; undefined if Slurm has none. In the accounting, a job without a comment matches as
	 * well.
	 */
	async find(name: string, comment: string): Promise<string | undefined> {
		const queued = parseSqueue(await this.#run("squeue", [...squeueArguments, `--name=${name}`]));
		const found = queued.find((task) => task.comment === comment);
		if (found !== undefined || !(await this.#hasAccounting())) return found?.jobId;
		const args = [...sacctArguments, `--name=${name}`, "--starttime=now-7days"];
		return parseSacct(await this.#run("sacct", args)).find((task) => task.comment === comment || task.comment === "")?.jobId;
	}

	/** Returns the tasks of a job from the accounting, for a job that squeue no longer lists. Empty if there is no accounting. */
	async findEnded(jobId: string, name: string): Promise<readonly ListedTask[]> {
		if (!(await this.#hasAccounting())) return [];
		return parseSacct(await this.#run("sacct", [...sacctArguments, `--jobs=${jobId}`, `--name=${name}`]));
	}

	/**
	 * Cancels jobs. A job that has already ended is not an error.
	 * @param args Options of scancel, and the jobs.
	 */
	async cancel(args: readonly string[]): Promise<void> {
		await this.#run("scancel", ["--quiet", ...args]).catch((error: unknown) => {
			if (!(error instanceof SvcError && /Invalid job id|already completing|Job\/step already/.test(error.message))) throw error;
		});
	}

	/** Returns true if the cluster has an accounting. Cached, because the answer depends only on the configuration of the cluster. */
	async #hasAccounting(): Promise<boolean> {
		this.#accounting ??= this.#run("scontrol", ["show", "config"]).then(
			(text) => !/^AccountingStorageType\s*=\s*(?:accounting_storage\/none|\(null\))?\s*$/m.test(text),
		);
		try {
			return await this.#accounting;
		} catch (error) {
			this.#accounting = undefined;
			throw error;
		}
	}

	#run(
		command: string,
		args: readonly string[],
		{ input, signal }: { readonly input?: string; readonly signal?: AbortSignal } = {},
	): Promise<string> {
		const { bin_directory } = this.#options;
		const file = bin_directory === undefined ? command : join(bin_directory, command);
		const given = {
			env: this.#environment(command),
			cwd: "/",
			timeout: commandTimeoutMs,
			maxBuffer: maxOutput,
			...(signal === undefined ? {} : { signal }),
		};
		return new Promise((resolve, reject) => {
			const child = execFile(file, args, given, (error, stdout, stderr) => {
				if (error === null) resolve(stdout);
				else reject(toError(command, stderr, error));
			});
			// The command may exit before it has read its complete input.
			child.stdin?.on("error", () => {});
			child.stdin?.end(input ?? "");
		});
	}

	/**
	 * Returns the environment of a command. Jobs inherit the environment of sbatch, and variables can set options of sbatch. Therefore only
	 * PATH, HOME and SLURM_CONF are taken from the service.
	 */
	#environment(command: string): Record<string, string> {
		const { slurm_conf = process.env["SLURM_CONF"] } = this.#options;
		return {
			PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
			HOME: process.env["HOME"] ?? "/",
			...(command === "sbatch" ? {} : { LC_ALL: "C", SLURM_TIME_FORMAT: "%s" }),
			...(slurm_conf === undefined ? {} : { SLURM_CONF: slurm_conf }),
		};
	}
}

const squeueArguments = ["--me", "--noheader", "--array", "--states=all", `--Format=${squeueFormat}`];
const sacctArguments = ["--noheader", "--parsable2", "--allocations", `--format=${sacctFormat}`];

/** Converts the error output of a command to an error, without repeated lines. */
function toError(
	command: string,
	stderr: string,
	cause: Error & { readonly killed?: boolean | undefined; readonly code?: unknown },
): Error {
	const said = [...new Set(stderr.split("\n").map((line) => line.trim()))].filter((line) => line !== "").join("; ");
	const text = said.slice(0, 1_000) || cause.message;
	if (cause.code === "ENOENT") return new SvcError("SVC_RUNNER", `the command ${command} does not exist`, { cause });
	const isLost = cause.killed === true || cause.name === "AbortError" || unreachable.some((phrase) => text.includes(phrase));
	return isLost ? new SlurmUnreachable(text, { cause }) : new SvcError("SVC_RUNNER", text, { cause });
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
