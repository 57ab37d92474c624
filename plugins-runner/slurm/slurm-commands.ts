import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { SvcError } from "../../core/contract/index.ts";
import { type ListedTask, parseSacct, parseSqueue, sacctFormat, squeueFormat } from "./job-state.ts";
import type { SlurmOptions } from "./options.ts";

/** Milliseconds that a command may take; Slurm's own wait for ten seconds and more for a controller that says nothing. */
const patience = 60_000;
const mostOutput = 64 * 1024 * 1024;

/** The controller did not answer: what was asked of it may have been done all the same. */
export class SlurmUnreachable extends Error {
	override readonly name = "SlurmUnreachable";
}

/** What commands of Slurm say when it is the way to the controller that is wrong, and not what was asked. */
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
	// Of slurmdbd, as sacct says it.
	"Problem talking to the database",
	"persistent connection",
	"PersistInit",
] as const;

export interface Submission {
	readonly name: string;
	readonly comment: string;
	readonly script: string;
	readonly args: readonly string[];
	/** Kills the command; what became of the submission is not known then. */
	readonly signal: AbortSignal;
}

/** Slurm's commands, started without a shell and without the service's own environment. */
export class SlurmCommands {
	readonly #options: SlurmOptions;
	#accounting: Promise<boolean> | undefined;

	constructor(options: SlurmOptions) {
		this.#options = options;
	}

	/** Throws when a command is not there. */
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

	/** Submit a job; gives its id. */
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
		// `<id>` or `<id>;<cluster>`.
		const id = answer.trim().split("\n").at(-1)?.split(";")[0] ?? "";
		if (!/^\d+$/.test(id)) throw new SlurmUnreachable(`sbatch has answered "${answer.slice(0, 200)}" instead of the number of a job`);
		return id;
	}

	/** What Slurm has of these jobs: those that go on, and for some minutes those that have ended. */
	async list(jobIds: readonly string[]): Promise<readonly ListedTask[]> {
		try {
			return parseSqueue(await this.#run("squeue", [...squeueArguments, `--jobs=${jobIds.join(",")}`]));
		} catch (error) {
			// Said when none of them is known any more.
			if (error instanceof SvcError && error.message.includes("Invalid job id")) return [];
			throw error;
		}
	}

	/** Id of the job of this name and comment; undefined when Slurm has none. */
	async find(name: string, comment: string): Promise<string | undefined> {
		const queued = parseSqueue(await this.#run("squeue", [...squeueArguments, `--name=${name}`]));
		const found = queued.find((task) => task.comment === comment);
		if (found !== undefined || !(await this.#hasAccounting())) return found?.jobId;
		const args = [...sacctArguments, `--name=${name}`, "--starttime=now-7days"];
		return parseSacct(await this.#run("sacct", args)).find((task) => task.comment === comment || task.comment === "")?.jobId;
	}

	/** What the accounting has of a job that Slurm itself has forgotten; nothing where there is none. */
	async findEnded(jobId: string, name: string): Promise<readonly ListedTask[]> {
		if (!(await this.#hasAccounting())) return [];
		return parseSacct(await this.#run("sacct", [...sacctArguments, `--jobs=${jobId}`, `--name=${name}`]));
	}

	/** @param args which, and how; jobs that have ended are none */
	async cancel(args: readonly string[]): Promise<void> {
		await this.#run("scancel", ["--quiet", ...args]).catch((error: unknown) => {
			if (!(error instanceof SvcError && /Invalid job id|already completing|Job\/step already/.test(error.message))) throw error;
		});
	}

	/** Asked once: it needs no other answer while the cluster has the same configuration. */
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
			timeout: patience,
			maxBuffer: mostOutput,
			...(signal === undefined ? {} : { signal }),
		};
		return new Promise((resolve, reject) => {
			const child = execFile(file, args, given, (error, stdout, stderr) => {
				if (error === null) resolve(stdout);
				else reject(toError(command, stderr, error));
			});
			// It may end before it has read everything.
			child.stdin?.on("error", () => {});
			child.stdin?.end(input ?? "");
		});
	}

	/**
	 * Also what jobs begin with, as their environment is that of sbatch. Options of sbatch can stand in variables, too: none of the service's own is
	 * passed on.
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

/** The words of the command, without what it says more than once. */
function toError(
	command: string,
	stderr: string,
	cause: Error & { readonly killed?: boolean | undefined; readonly code?: unknown },
): Error {
	const said = [...new Set(stderr.split("\n").map((line) => line.trim()))].filter((line) => line !== "").join("; ");
	const text = said.slice(0, 1_000) || cause.message;
	if (cause.code === "ENOENT") return new SvcError("SVC_RUNNER", `the command ${command} is not there`, { cause });
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
