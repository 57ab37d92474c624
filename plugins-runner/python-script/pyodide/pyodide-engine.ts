import { join } from "node:path";
import { SvcError } from "../../../core/contract/index.ts";
import type { PythonEngine } from "../engine.ts";
import { raceWithAbort } from "../race-with-abort.ts";
import { findInstallation, type Installation } from "./installation.ts";
import { SnapshotStore } from "./snapshot-store.ts";
import { WorkerPool } from "./worker-pool.ts";
import type { WorkerProcess } from "./worker-process.ts";

const mebibyte = 1024 * 1024;
/** Minimum memory in MiB with which the interpreter can start. */
const minMemory = 64;

export interface PyodideOptions {
	/** MiB of memory that Python may use in one run, at least 64. Default 512. */
	readonly memory_limit?: number;
	/** Workers kept ready for the next actions after the first one; each takes about 200 MB. Default 1. */
	readonly warm_workers?: number;
	/** Seconds without an action before ready workers are ended. Default 300. */
	readonly idle_time?: number;
}

interface Started {
	readonly installation: Installation;
	readonly snapshots: SnapshotStore;
	readonly pool: WorkerPool;
}

/** Returns the engine that runs each action in WebAssembly, in a new process. It needs no Python on the machine. */
export function createPyodideEngine(options: PyodideOptions = {}): PythonEngine {
	let started: Started | undefined;
	const running = (): Started => {
		if (started === undefined) throw new SvcError("SVC_RUNNER", "the engine pyodide has not been started");
		return started;
	};
	return {
		name: "pyodide",
		get version() {
			return running().installation.pythonVersion;
		},
		async check() {
			assertMemory(options.memory_limit);
			await findInstallation();
		},
		async start({ dataDirectory, logger, nodeId, pythonPaths = [] }) {
			const { memory_limit = 512, warm_workers = 1, idle_time = 300 } = options;
			assertMemory(memory_limit);
			const installation = await findInstallation();
			const directory = join(dataDirectory, "pyodide");
			const snapshots = new SnapshotStore({ directory, installation, logger });
			const pool = new WorkerPool({
				directory: join(directory, "workers"),
				name: nodeId,
				installation,
				snapshots,
				pythonPaths: pythonPaths.map((path) => `${path}/`),
				logger,
				memoryLimit: memory_limit * mebibyte,
				warm: warm_workers,
				idleTime: idle_time * 1_000,
			});
			started = { installation, snapshots, pool };
		},
		async run(request, io) {
			const worker = await takeWorker(running().pool, request.signal);
			return worker === undefined ? { exitCode: -15 } : worker.run(request, io);
		},
		async stop() {
			started?.snapshots.stop();
			await started?.pool.stop();
		},
	};
}

/** Returns a worker; undefined if the run was aborted before a worker was ready. */
async function takeWorker(pool: WorkerPool, signal: AbortSignal): Promise<WorkerProcess | undefined> {
	if (signal.aborted) return undefined;
	const taken = pool.take();
	const worker = await raceWithAbort(taken, signal);
	if (worker !== "aborted") return worker;
	// No run needs this worker any more; end it when it is ready.
	taken.then((late) => late.kill()).catch(() => {});
	return undefined;
}

function assertMemory(limit = minMemory): void {
	if (limit >= minMemory) return;
	throw new SvcError("SVC_CONFIG", `option "pyodide.memory_limit" of python-script must be ${minMemory} or more`);
}
