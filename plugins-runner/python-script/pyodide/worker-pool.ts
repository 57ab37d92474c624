import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, SvcError } from "../../../core/contract/index.ts";
import type { Installation } from "./installation.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { BrokenSnapshot, WorkerProcess } from "./worker-process.ts";

export interface PoolOptions {
	/** Parent directory of the workers' directories, which are named after the process id, `name` and a number. */
	readonly directory: string;
	readonly name: string;
	readonly installation: Installation;
	readonly snapshots: SnapshotStore;
	/** Directories that Python may read in addition to the pack; each path ends with a slash. */
	readonly pythonPaths: readonly string[];
	readonly logger: Logger;
	/** Maximum memory for Python in bytes. */
	readonly memoryLimit: number;
	/** Number of workers kept ready for the next runs after the first run. */
	readonly warm: number;
	/** Milliseconds after the last run before ready workers are ended. */
	readonly idleTime: number;
}

/** Starts workers before runs need them. Each worker serves one run, so that no run sees data of an earlier run. */
export class WorkerPool {
	readonly #options: PoolOptions;
	readonly #processes = new Set<WorkerProcess>();
	readonly #prepared: Promise<WorkerProcess>[] = [];
	#idle: NodeJS.Timeout | undefined;
	#stopped = false;
	#cleaned: Promise<void> | undefined;
	#lastNumber = 0;

	constructor(options: PoolOptions) {
		this.#options = options;
	}

	/** Returns a worker that is ready for a run. The caller owns the worker and must end it. */
	async take(): Promise<WorkerProcess> {
		const worker = await this.#takeNext();
		// Start the next worker after the caller has continued, so that the run is not delayed.
		setImmediate(() => this.#fill());
		return worker;
	}

	/** Ends all workers, including those with a run, and waits until their processes and directories are removed. */
	async stop(): Promise<void> {
		this.#stopped = true;
		clearTimeout(this.#idle);
		for (const worker of this.#processes) worker.kill();
		await Promise.allSettled(this.#prepared.splice(0));
		await Promise.all([...this.#processes].map(({ gone }) => gone));
	}

	async #takeNext(): Promise<WorkerProcess> {
		for (;;) {
			const prepared = this.#prepared.shift();
			if (prepared === undefined) return this.#prepare();
			const worker = await prepared.catch(() => undefined);
			if (worker?.isAlive) return worker;
		}
	}

	#fill(): void {
		if (this.#stopped) return;
		clearTimeout(this.#idle);
		this.#idle = setTimeout(() => this.#endPrepared(), this.#options.idleTime);
		while (this.#prepared.length < this.#options.warm) {
			const prepared = this.#prepare();
			// Only logged, because a caller that takes this worker starts another one instead.
			prepared.catch((error: unknown) => {
				if (!this.#stopped) this.#options.logger.warn("python worker could not be prepared", { error });
			});
			this.#prepared.push(prepared);
		}
	}

	#endPrepared(): void {
		for (const prepared of this.#prepared.splice(0))
			prepared.then(
				(worker) => worker.kill(),
				() => {},
			);
	}

	async #prepare(): Promise<WorkerProcess> {
		this.#cleaned ??= removeLeftovers(this.#options.directory);
		await this.#cleaned;
		for (let attempt = 1; ; attempt++) {
			const snapshot = await this.#options.snapshots.get();
			if (this.#stopped) throw new SvcError("SVC_RUNNER", "no action can be started: the service is stopping");
			const worker = this.#start(snapshot);
			try {
				await worker.ready;
				return worker;
			} catch (error) {
				worker.kill();
				if (!(error instanceof BrokenSnapshot) || attempt > 1) throw error;
				await this.#options.snapshots.replace(snapshot);
			}
		}
	}

	#start({ file, recipe }: { readonly file: string; readonly recipe: string }): WorkerProcess {
		const { directory, name, installation, memoryLimit } = this.#options;
		const worker = new WorkerProcess({
			directory: `${join(directory, `${process.pid}-${name}-${++this.#lastNumber}`)}/`,
			pyodide: installation.module,
			snapshot: file,
			recipe,
			pythonPaths: this.#options.pythonPaths,
			memoryLimit,
		});
		this.#processes.add(worker);
		void worker.gone.then(() => this.#processes.delete(worker));
		return worker;
	}
}

/** Removes the directories of workers of processes that were killed. */
async function removeLeftovers(directory: string): Promise<void> {
	await mkdir(directory, { recursive: true, mode: 0o700 });
	for (const name of await readdir(directory)) {
		if (!isRunning(Number.parseInt(name, 10))) await rm(join(directory, name), { recursive: true, force: true });
	}
}

function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
