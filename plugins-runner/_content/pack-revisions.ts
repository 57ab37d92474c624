import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Logger, type PluginContext, type RunContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { isRunning, type ProcessIdentity, readIdentity } from "../_process/detached/identity.ts";
import { addWorktree, rebase, removeWorktree } from "./worktree.ts";

/** Paths of a run's files. */
export type ContentPlace = Pick<RunContext, "entryPoint" | "packDirectory">;

/** The members of a run that determine its files. */
type ContentRun = Pick<RunContext, "liveaction_id" | "pack" | "entryPoint" | "packDirectory" | "signal"> & {
	readonly runnerParameters: { readonly content_version?: string | null | undefined; readonly debug: boolean };
};

interface Started {
	readonly records: ContentRecords;
	readonly logger: Logger;
}

/** Provides the files of runs that require a revision of their pack (`content_version`): a git worktree for the duration of each run. */
export class PackRevisions {
	readonly #runner: string;
	#started: Started | undefined;

	/** @param runner name of the runner, which separates the files of its runs from those of other runners */
	constructor(runner: string) {
		this.#runner = runner;
	}

	/**
	 * Removes worktrees that a killed service has left.
	 *
	 * @param isGoingOn returns true if a run of an earlier process still needs its files
	 */
	async start({ dataDirectory, logger }: PluginContext, isGoingOn: (liveactionId: string) => boolean = () => false): Promise<void> {
		const records = new ContentRecords(join(dataDirectory, "worktrees", this.#runner));
		this.#started = { records, logger };
		for (const id of await records.findLeft()) if (!isGoingOn(id)) await this.#remove(id);
	}

	/**
	 * Calls `work` with the paths of the run's files. Removes the files afterwards, unless the run's process continues or `debug` keeps them.
	 */
	async use(run: ContentRun, work: (place: ContentPlace) => Promise<RunResult>): Promise<RunResult> {
		if (!run.runnerParameters.content_version) return work(run);
		return this.during(run, async () => work(await this.place(run)));
	}

	/**
	 * Calls `work`, which may create the run's files with `place`. Removes these files when the run has ended, even if an earlier process of
	 * the service created them.
	 */
	async during<T extends RunResult | undefined>(run: ContentRun, work: () => Promise<T>): Promise<T> {
		return this.#endWith(run, work);
	}

	/** Returns the paths of a run's files; creates a worktree if the run requires a revision. Must be called within `during`. */
	async place(run: ContentRun): Promise<ContentPlace> {
		const { content_version: revision } = run.runnerParameters;
		return revision ? this.#provide(run, revision) : run;
	}

	async #provide(run: ContentRun, revision: string): Promise<ContentPlace> {
		const { records, logger } = this.#running();
		const { pack, packDirectory, entryPoint, liveaction_id, signal } = run;
		if (packDirectory === undefined) throw new SvcError("SVC_RUNNER", `content_version: pack "${pack}" has no directory`);
		const directory = join(tmpdir(), `svc-git-worktree-${randomBytes(8).toString("hex")}`);
		await records.write(liveaction_id, { directory, packDirectory });
		const place = await addWorktree({ pack, packDirectory, revision, directory, signal });
		const rebased = await rebase(entryPoint, packDirectory, place, revision);
		if (run.runnerParameters.debug) {
			// A user inspects the files, so they are no longer removed.
			await records.remove(liveaction_id);
			logger.info("git worktree was not removed: debug mode is on", { pack, directory });
		}
		return { entryPoint: rebased, packDirectory: place };
	}

	async #endWith<T extends RunResult | undefined>({ liveaction_id }: ContentRun, work: () => Promise<T>): Promise<T> {
		let end: T | undefined;
		try {
			end = await work();
			return end;
		} finally {
			if (end?.status !== "running") await this.#remove(liveaction_id);
		}
	}

	/** Removes the files. A failure is only logged, because it must not fail the run. */
	async #remove(liveactionId: string): Promise<void> {
		const { records, logger } = this.#running();
		try {
			const record = await records.read(liveactionId);
			if (record === undefined) return;
			await removeWorktree(record);
			await records.remove(liveactionId);
		} catch (error) {
			logger.warn("git worktree was not removed", { liveaction_id: liveactionId, error });
		}
	}

	#running(): Started {
		if (this.#started === undefined) throw new SvcError("SVC_RUNNER", "the runner has not been started");
		return this.#started;
	}
}

/** A worktree that must be removed when its run has ended. */
export interface ContentRecord {
	readonly directory: string;
	readonly packDirectory: string;
}

const ending = ".json";

/**
 * Records on disk of the worktrees in use. With them, the service finds the worktrees of a killed process of the service after a restart.
 */
export class ContentRecords {
	readonly #directory: string;

	constructor(directory: string) {
		this.#directory = directory;
	}

	async write(liveactionId: string, record: ContentRecord): Promise<void> {
		await mkdir(this.#directory, { recursive: true, mode: 0o700 });
		const text = JSON.stringify({ ...record, owner: readIdentity("self") });
		await writeFile(`${this.#file(liveactionId)}.new`, text, { mode: 0o600 });
		await rename(`${this.#file(liveactionId)}.new`, this.#file(liveactionId));
	}

	async read(liveactionId: string): Promise<(ContentRecord & { readonly owner?: ProcessIdentity }) | undefined> {
		const text = await readFile(this.#file(liveactionId), "utf8").catch(() => undefined);
		return text === undefined ? undefined : JSON.parse(text);
	}

	async remove(liveactionId: string): Promise<void> {
		await rm(this.#file(liveactionId), { force: true });
	}

	/** Returns the live action ids of runs whose service process has ended. */
	async findLeft(): Promise<readonly string[]> {
		const left: string[] = [];
		for (const name of await readdir(this.#directory).catch(() => [])) {
			if (!name.endsWith(ending)) continue;
			const id = name.slice(0, -ending.length);
			const owner = (await this.read(id))?.owner;
			if (owner === undefined || !isRunning(owner)) left.push(id);
		}
		return left;
	}

	#file(liveactionId: string): string {
		return join(this.#directory, `${liveactionId}${ending}`);
	}
}
