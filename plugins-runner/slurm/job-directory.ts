import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "../../core/contract/index.ts";
import type { StagedFiles } from "../_ssh/staging.ts";
import { readJobFile } from "./open-job-file.ts";

/** Maximum bytes of a status file of the service or the start script. The longest content is an id. */
const maxRead = 128;
/** Milliseconds within which a job has written its id into the claim that it has created. */
const claimWriteMs = 2_000;

/** Directory of a run on the file system of the cluster. It contains the program, the output, and the exit codes. */
export class JobDirectory {
	readonly path: string;
	/** Contents of the file `holder`. Only the process with the latest token follows the run and may end it. */
	readonly #token = randomUUID();

	constructor(path: string) {
		this.path = path;
	}

	/** Working directory of jobs that name none. Contains the files of the action. */
	get files(): string {
		return join(this.path, "files");
	}

	async create(): Promise<void> {
		await mkdir(this.path, { recursive: true, mode: 0o700 });
		await mkdir(this.files, { recursive: true, mode: 0o700 });
		await this.hold();
	}

	exists(): boolean {
		return existsSync(join(this.path, "start"));
	}

	async write(name: string, text: string): Promise<void> {
		await this.#put(join(this.path, name), text, 0o600);
	}

	/** Creates a file for the output of jobs. Keeps the contents of an existing file. */
	async touch(name: string): Promise<void> {
		await writeFile(join(this.path, name), "", { mode: 0o600, flag: "a" });
	}

	/** Copies the files of the action to the directory. Returns the path of the script. */
	async stage({ directories, files, script }: StagedFiles): Promise<string> {
		for (const path of directories) await mkdir(join(this.files, path), { recursive: true, mode: 0o700 });
		for (const { path, content, mode } of files) {
			await mkdir(dirname(join(this.files, path)), { recursive: true, mode: 0o700 });
			await this.#put(join(this.files, path), content, mode | 0o700);
		}
		return join(this.files, script);
	}

	/**
	 * Returns the path of an output file.
	 * @param task Index of the task; undefined for a job without an array.
	 */
	output(type: "stdout" | "stderr", task: number | undefined): string {
		return join(this.path, task === undefined ? type : `${type}.${task}`);
	}

	/** Returns true if at least one task has started its program. */
	async hasBegun(count: number): Promise<boolean> {
		for (let task = 0; task < count; task++) if (existsSync(join(this.path, `began.${task}`))) return true;
		return false;
	}

	/** Returns the exit code that the task's program has left. Returns undefined if there is none. */
	async readStatus(task: number): Promise<number | undefined> {
		return toNumber(await this.#read(`status.${task}`));
	}

	/** Returns the number of tasks that have left an exit code. Skips the directory listing if `known` equals `count`. */
	async countStatuses(known: number, count: number): Promise<number> {
		if (known >= count) return known;
		const names = await readdir(this.path).catch(() => []);
		return names.filter((name) => name.startsWith("status.") && !name.endsWith(".new")).length;
	}

	/** Returns the id of the job that has started for the attempt. Returns undefined if none has. */
	async readClaim(attempt: number, count: number): Promise<string | undefined> {
		for (let task = 0; task < count; task++) {
			const text = (await this.#read(`claim.${attempt}.${task}`))?.trim();
			if (text && !/^\d{1,20}$/.test(text)) throw new SvcError("SVC_RUNNER", `the claim of task ${task} is not a job number`);
			if (text) return text;
		}
		return undefined;
	}

	/**
	 * Prevents all jobs of the attempt that have not started from starting: a job can still appear if a process died during its submission,
	 * or received no response. Returns false if a job has started. A job writes its id a moment after it has created its claim, so an empty
	 * claim that this call has not created is read again two seconds later.
	 */
	async forbid(attempt: number, count: number): Promise<boolean> {
		let hasFound = false;
		for (let task = 0; task < count; task++) {
			try {
				await (await open(join(this.path, `claim.${attempt}.${task}`), "wx", 0o600)).close();
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
				hasFound = true;
			}
		}
		if (hasFound && (await this.readClaim(attempt, count)) === undefined) await delay(claimWriteMs);
		return (await this.readClaim(attempt, count)) === undefined;
	}

	async hold(): Promise<void> {
		await this.write("holder", this.#token);
	}

	/** Returns false if another process of the service has recovered the run. */
	async isHeld(): Promise<boolean> {
		return (await this.#read("holder")) === this.#token;
	}

	async remove(): Promise<void> {
		await rm(this.path, { recursive: true, force: true });
	}

	/** Replaces a file atomically. A process that has lost the run may write while the job of another process reads the file. */
	async #put(path: string, content: string | Uint8Array, mode: number): Promise<void> {
		const fresh = `${path}.${this.#token}`;
		await writeFile(fresh, content, { mode });
		await rename(fresh, path);
	}

	async #read(name: string): Promise<string | undefined> {
		return readJobFile(join(this.path, name), maxRead).catch(() => undefined);
	}
}

function toNumber(text: string | undefined): number | undefined {
	const number = Number.parseInt(text ?? "", 10);
	return Number.isInteger(number) ? number : undefined;
}
