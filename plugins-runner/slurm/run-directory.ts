import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SvcError } from "../../core/contract/index.ts";
import type { StagedFiles } from "../_ssh/staging.ts";
import { readJobFile } from "./job-file.ts";

/** Bytes of the longest that the service and the start script write of how things stand: an id. */
const mostRead = 128;

/** What a run keeps where the nodes of the cluster see it: its program, its output, and what became of it. */
export class RunDirectory {
	readonly path: string;
	/** Written to the file `holder`: whoever came last follows the run and may end it. */
	readonly #token = randomUUID();

	constructor(path: string) {
		this.path = path;
	}

	/** Working directory of jobs that name none; holds the action's files. */
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

	/** Make a file that jobs write to, and leave alone what is in it. */
	async touch(name: string): Promise<void> {
		await writeFile(join(this.path, name), "", { mode: 0o600, flag: "a" });
	}

	/** Put the action's files there; gives the path of its script. */
	async stage({ directories, files, script }: StagedFiles): Promise<string> {
		for (const path of directories) await mkdir(join(this.files, path), { recursive: true, mode: 0o700 });
		for (const { path, content, mode } of files) {
			await mkdir(dirname(join(this.files, path)), { recursive: true, mode: 0o700 });
			await this.#put(join(this.files, path), content, mode | 0o700);
		}
		return join(this.files, script);
	}

	/** @param task undefined for a job without an array */
	output(type: "stdout" | "stderr", task: number | undefined): string {
		return join(this.path, task === undefined ? type : `${type}.${task}`);
	}

	/** Whether any task has got as far as its program. */
	async hasBegun(count: number): Promise<boolean> {
		for (let task = 0; task < count; task++) if (existsSync(join(this.path, `began.${task}`))) return true;
		return false;
	}

	/** Exit code that the task's program has left; undefined where it has left none. */
	async readStatus(task: number): Promise<number | undefined> {
		return toNumber(await this.#read(`status.${task}`));
	}

	/** How many tasks, of which so many are known, have left an exit code. Looks at no more than it must. */
	async countStatuses(known: number, count: number): Promise<number> {
		if (known >= count) return known;
		const names = await readdir(this.path).catch(() => []);
		return names.filter((name) => name.startsWith("status.") && !name.endsWith(".new")).length;
	}

	/** Id of the job that has begun for the attempt. */
	async readClaim(attempt: number, count: number): Promise<string | undefined> {
		for (let task = 0; task < count; task++) {
			const text = (await this.#read(`claim.${attempt}.${task}`))?.trim();
			if (text && !/^\d{1,20}$/.test(text)) throw new SvcError("SVC_RUNNER", `the claim of task ${task} is no number of a job`);
			if (text) return text;
		}
		return undefined;
	}

	/**
	 * Keep every job of the attempt from beginning: one that a dead process of the service has submitted, or one whose submission was not
	 * answered, may turn up at any time. False when one has begun after all.
	 */
	async forbid(attempt: number, count: number): Promise<boolean> {
		for (let task = 0; task < count; task++) {
			try {
				await (await open(join(this.path, `claim.${attempt}.${task}`), "wx", 0o600)).close();
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
			}
		}
		return (await this.readClaim(attempt, count)) === undefined;
	}

	async hold(): Promise<void> {
		await this.write("holder", this.#token);
	}

	/** False once another process of the service has taken the run over. */
	async isHeld(): Promise<boolean> {
		return (await this.#read("holder")) === this.#token;
	}

	async remove(): Promise<void> {
		await rm(this.path, { recursive: true, force: true });
	}

	/** In the place of what is there, as a whole: a process that has lost the run may do so while the job of another one reads it. */
	async #put(path: string, content: string | Uint8Array, mode: number): Promise<void> {
		const fresh = `${path}.${this.#token}`;
		await writeFile(fresh, content, { mode });
		await rename(fresh, path);
	}

	async #read(name: string): Promise<string | undefined> {
		return readJobFile(join(this.path, name), mostRead).catch(() => undefined);
	}
}

function toNumber(text: string | undefined): number | undefined {
	const number = Number.parseInt(text ?? "", 10);
	return Number.isInteger(number) ? number : undefined;
}
