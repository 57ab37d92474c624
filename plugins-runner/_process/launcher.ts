import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { HighChurnMap, SvcError } from "../../core/contract/index.ts";
import { createBaseEnvironment } from "./environment.ts";
import type { LauncherMetrics } from "./launcher-metrics.ts";
import { findOtherGroups, signalGroup } from "./process-group.ts";
import { type ProcessEnd, type ProcessOptions, ProcessRun } from "./process-run.ts";
import { FrameReader, FrameWriter, frameTypes, type LauncherInfo } from "./protocol.ts";

/** Milliseconds that the launcher process may take to kill everything it started; after that it is killed itself. */
const stopTimeoutMs = 5_000;
/** Milliseconds without a run after which the launcher process ends. It takes about 46 MB, which a service at rest need not hold. */
const idleTimeoutMs = 5 * 60_000;

/** One launcher process and the processes that it runs. */
interface Connection {
	readonly child: ChildProcess;
	readonly socket: Socket;
	readonly writer: FrameWriter;
	readonly runs: HighChurnMap<number, ProcessRun>;
	readonly ready: Promise<LauncherInfo>;
	/** Resolves when the launcher process has exited. */
	readonly exited: Promise<void>;
}

export interface LauncherOptions {
	/** Method of starting processes. Default: `posix_spawn`, or `child_process` if that is not available. */
	readonly spawner?: LauncherInfo["spawner"];
	/**
	 * Milliseconds without a run after which the launcher process is ended. Checked at this interval, so that it may take up to twice as long.
	 * Default: five minutes.
	 */
	readonly idleTimeoutMs?: number;
	/** Receives measurements. By default, nothing is measured. */
	readonly metrics?: LauncherMetrics;
	/** Called when the launcher process ends unexpectedly. */
	onLost?(): void;
}

/**
 * Starts processes through a small helper process, the *launcher*, so that a start costs the same whatever the memory of the server.
 *
 * The two processes communicate over one socket, which is descriptor 3 of the launcher (`launcher-process.ts`), in the frames of
 * `protocol.ts`. For each process the server sends `start` with a new id. The launcher answers `started` or `failed`, then output frames,
 * and `ended` as the last frame of that id. At any time the server may send `end` (TERM, and KILL after a grace) and `input`.
 *
 * Output is credited: once 256 KiB of a channel are unconsumed, the launcher stops reading the pipe, and eventually the process blocks. The
 * server sends `credit` once its consumer has taken the bytes, in steps of 64 KiB. When a channel has brought 1 MiB, the launcher stops
 * reading it and sends `offer`. The server opens the pipe through `/proc` and answers `loan`; if it cannot, the launcher continues. The
 * launcher also sends `exited` for such a process, because only the server sees the end of a pipe that it reads.
 *
 * States: *idle* (no launcher process), *connected*, *stopped*. `start` and `run` lead from idle to connected, and `run` need not wait for
 * the `ready` frame: frames wait in the socket. When the launcher process ends unexpectedly, the state is idle again, every run is rejected
 * with `SVC_RUNNER`, and the next run starts a new one. A launcher process without runs for some minutes is ended, and the state is
 * idle at once. `stop` is final: later runs are rejected with `SVC_RUNNER`. A connection has its own map of runs, so the late end of one
 * launcher process never touches the runs of its successor.
 *
 * No process may outlive both of its guardians. The launcher lives as long as the socket: if the server dies, the launcher kills everything
 * it started and exits. If the launcher dies, the server kills the process groups whose ids it has received. It also kills other groups in
 * their sessions, and groups whose processes have the environment variable of one of these executions. The launcher is in its own session
 * and ignores TERM, INT and HUP, because a service manager signals both processes at once. The server must be able to end its runs in
 * order.
 */
export class Launcher {
	readonly #options: LauncherOptions;
	#connection: Connection | undefined;
	/** `exited` of the launcher processes that are being ended. */
	readonly #closing = new Set<Promise<void>>();
	#isStopped = false;
	#lastId = 0;

	constructor(options: LauncherOptions = {}) {
		this.#options = options;
	}

	/** Process id of the launcher process, while there is one. */
	get pid(): number | undefined {
		return this.#connection?.child.pid;
	}

	/**
	 * Starts the launcher process; otherwise the first `run` does. Resolves when it is ready; rejects with `SVC_RUNNER` if it cannot be
	 * started.
	 */
	async start(): Promise<LauncherInfo> {
		return this.#connect().ready;
	}

	/**
	 * Starts a process. Resolves when it has ended and its output was delivered. When `signal` aborts, everything the process started gets
	 * TERM, and KILL after the grace. Rejects with `SVC_RUNNER` if the process cannot be started, and with the error that `onStdout` or
	 * `onStderr` threw.
	 */
	async run(options: ProcessOptions): Promise<ProcessEnd> {
		if (options.signal.aborted) return { pid: undefined, code: null, signal: "SIGTERM" };
		const { runs, writer, child } = this.#connect();
		const id = this.#nextId(runs);
		const measurement = this.#options.metrics?.onRequested();
		const run = new ProcessRun(options, { id, writer, launcherPid: child.pid, onStart: measurement?.onStarted });
		runs.set(id, run);
		try {
			return await run.ended;
		} finally {
			measurement?.onEnded();
			runs.delete(id);
		}
	}

	/** Ends every process and the launcher itself. A later `run` is rejected. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		if (this.#connection !== undefined) void this.#close(this.#connection);
		await Promise.all(this.#closing);
	}

	/** Ends a launcher process. One that hangs is killed; `#onLost` then kills what it ran. */
	async #close({ child, socket, exited }: Connection): Promise<void> {
		this.#closing.add(exited);
		socket.end();
		const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
		await exited;
		clearTimeout(timer);
		this.#closing.delete(exited);
	}

	#nextId(runs: Connection["runs"]): number {
		do this.#lastId = (this.#lastId + 1) >>> 0;
		while (runs.has(this.#lastId));
		return this.#lastId;
	}

	#connect(): Connection {
		if (this.#isStopped) throw new SvcError("SVC_RUNNER", "no process can be started: the service is stopping");
		if (this.#connection === undefined) {
			this.#connection = this.#open();
			this.#endWhenIdle(this.#connection);
		}
		return this.#connection;
	}

	/**
	 * Ends a launcher process that has had no run for a whole interval: none is going on, and `#lastId`, which each run changes, is the same.
	 * A timer that each run restarts would cost every run something.
	 */
	#endWhenIdle(connection: Connection): void {
		let seenId = this.#lastId;
		const timer = setInterval(() => {
			const isIdle = connection.runs.size === 0 && this.#lastId === seenId;
			seenId = this.#lastId;
			if (!isIdle || this.#connection !== connection) return;
			this.#connection = undefined;
			void this.#close(connection);
		}, this.#options.idleTimeoutMs ?? idleTimeoutMs).unref();
		void connection.exited.then(() => clearInterval(timer));
	}

	#open(): Connection {
		const child = spawn(process.execPath, launcherArguments(this.#options.spawner), {
			detached: true,
			env: createBaseEnvironment(),
			stdio: ["ignore", "ignore", "inherit", "pipe"],
		});
		const startFailure = new Promise<SvcError>((resolve) => {
			child.once("error", (cause) => resolve(new SvcError("SVC_RUNNER", "the process launcher cannot be started", { cause })));
		});
		const socket = child.stdio?.[3];
		// If no descriptors are free, `stdio` is missing, and the error event follows only later.
		if (!(socket instanceof Socket))
			throw new SvcError("SVC_RUNNER", "the process launcher cannot be started: no file descriptors are available");
		const runs = new HighChurnMap<number, ProcessRun>();
		const writer = new FrameWriter(socket);
		const ready = new Promise<LauncherInfo>((resolve, reject) => {
			const reader = new FrameReader((type, id, payload) => {
				if (type === frameTypes.ready) resolve(JSON.parse(payload.toString()));
				else runs.get(id)?.receive(type, payload);
			});
			socket.on("data", (bytes) => reader.push(bytes));
			void startFailure.then(reject);
			child.once("exit", () => reject(new SvcError("SVC_RUNNER", "the process launcher ended before it was ready")));
		});
		// Callers of `run` do not await `ready`; they learn of a failure from `#onLost`.
		ready.catch(() => {});
		socket.on("error", () => {});
		const exited = new Promise<void>((resolve) => {
			const onEnd = (failure?: SvcError) => {
				socket.destroy();
				this.#onLost(runs, failure);
				resolve();
			};
			void startFailure.then(onEnd);
			child.once("exit", () => onEnd());
		});
		return { child, socket, writer, runs, ready, exited };
	}

	/**
	 * Kills the processes of a launcher that has ended, because no other process reads their output or ends them, and rejects their runs.
	 *
	 * @param startFailure the reason if the launcher process could not be started
	 */
	#onLost(runs: Connection["runs"], startFailure?: SvcError): void {
		// A launcher process that is ended because it was idle has no runs.
		if (this.#connection?.runs !== runs) return;
		this.#connection = undefined;
		const leaders = new Set([...runs.values()].flatMap(({ pid }) => pid ?? []));
		const marks = new Set([...runs.values()].flatMap(({ mark }) => mark ?? []));
		const otherGroups = leaders.size > 0 ? findOtherGroups(leaders, marks) : [];
		for (const group of [...leaders, ...otherGroups]) signalGroup(group, "SIGKILL");
		const message = this.#isStopped
			? "the service stopped while the process was running"
			: "the process launcher ended unexpectedly; the process was killed";
		for (const run of runs.values()) run.fail(startFailure ?? new SvcError("SVC_RUNNER", message));
		if (this.#isStopped || startFailure !== undefined) return;
		this.#options.metrics?.onLauncherLost();
		this.#options.onLost?.();
	}
}

/** Returns the arguments of the launcher. From source it needs the loader that also runs the tests; built, it is plain JavaScript. */
function launcherArguments(spawner: LauncherInfo["spawner"] | undefined): string[] {
	const isFromSource = import.meta.url.endsWith(".ts");
	const file = fileURLToPath(new URL(`./launcher-process.${isFromSource ? "ts" : "js"}`, import.meta.url));
	const loader = isFromSource ? ["--import", import.meta.resolve("tsx")] : [];
	return ["--max-old-space-size=256", ...loader, file, ...(spawner === undefined ? [] : [spawner])];
}
