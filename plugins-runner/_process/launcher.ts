import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { HighChurnMap, SvcError } from "../../core/contract/index.ts";
import { createBaseEnvironment } from "./environment.ts";
import type { LauncherMetrics } from "./launcher-metrics.ts";
import { findOtherGroups, signalGroup } from "./process-group.ts";
import { type ProcessEnd, type ProcessOptions, ProcessRun } from "./process-run.ts";
import { FrameReader, FrameWriter, frameTypes, type LauncherInfo } from "./protocol.ts";

/** Milliseconds that the launcher process may take to end what it started. */
const stopTime = 5_000;

/** Sends on behalf of the launcher's runs; a new one for each launcher process. */
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
	/** Which way to start processes; default the quickest there is. */
	readonly spawner?: LauncherInfo["spawner"];
	/** Absent: nobody measures. */
	readonly metrics?: LauncherMetrics;
	/** The launcher process ended although nobody had asked it to. */
	onLost?(): void;
}

/** Starts processes through a small process outside the server, so that their cost does not depend on the server's size. */
export class Launcher {
	readonly #options: LauncherOptions;
	#connection: Connection | undefined;
	#stopped = false;
	#lastId = 0;

	constructor(options: LauncherOptions = {}) {
		this.#options = options;
	}

	/** Process id of the launcher process, while there is one. */
	get pid(): number | undefined {
		return this.#connection?.child.pid;
	}

	/** Start the launcher process; otherwise the first `run` does. */
	async start(): Promise<LauncherInfo> {
		return this.#connect().ready;
	}

	/**
	 * Start a process and resolve when it has ended and its output was delivered. When `signal` aborts, everything the process
	 * started gets TERM, and KILL after the grace. Rejects when it cannot be started, or with what `onStdout` or `onStderr` threw.
	 */
	async run(options: ProcessOptions): Promise<ProcessEnd> {
		if (options.signal.aborted) return { pid: undefined, code: null, signal: "SIGTERM" };
		const { runs, writer, child } = this.#connect();
		const id = this.#nextId(runs);
		const measured = this.#options.metrics?.onRequested();
		const run = new ProcessRun(options, { id, writer, launcherPid: child.pid, onStart: measured?.onStarted });
		runs.set(id, run);
		try {
			return await run.ended;
		} finally {
			measured?.onEnded();
			runs.delete(id);
		}
	}

	/** End every process and the launcher itself. A later `run` is refused. */
	async stop(): Promise<void> {
		this.#stopped = true;
		const connection = this.#connection;
		if (connection === undefined) return;
		connection.socket.end();
		// One that hangs is ended the hard way, and its processes from here.
		const timer = setTimeout(() => connection.child.kill("SIGKILL"), stopTime);
		await connection.exited;
		clearTimeout(timer);
	}

	#nextId(runs: Connection["runs"]): number {
		do this.#lastId = (this.#lastId + 1) >>> 0;
		while (runs.has(this.#lastId));
		return this.#lastId;
	}

	#connect(): Connection {
		if (this.#stopped) throw new SvcError("SVC_RUNNER", "processes cannot be started any more: the service is stopping");
		this.#connection ??= this.#open();
		return this.#connection;
	}

	#open(): Connection {
		const child = spawn(process.execPath, launcherArguments(this.#options.spawner), {
			detached: true,
			env: createBaseEnvironment(),
			stdio: ["ignore", "ignore", "inherit", "pipe"],
		});
		const failed = new Promise<Error>((resolve) => child.once("error", resolve));
		const socket = child.stdio?.[3];
		// Without descriptors left there is not even that, and the error only comes later.
		if (!(socket instanceof Socket)) throw new SvcError("SVC_RUNNER", "the process launcher cannot be started: no descriptors are left");
		const runs = new HighChurnMap<number, ProcessRun>();
		const writer = new FrameWriter(socket);
		const ready = new Promise<LauncherInfo>((resolve, reject) => {
			const reader = new FrameReader((type, id, payload) => {
				if (type === frameTypes.ready) resolve(JSON.parse(payload.toString()));
				else runs.get(id)?.receive(type, payload);
			});
			socket.on("data", (bytes) => reader.push(bytes));
			void failed.then((cause) => reject(new SvcError("SVC_RUNNER", "the process launcher cannot be started", { cause })));
			child.once("exit", () => reject(new SvcError("SVC_RUNNER", "the process launcher ended before it was ready")));
		});
		// Whoever only runs processes learns of a failure from `#onLost`.
		ready.catch(() => {});
		socket.on("error", () => {});
		const exited = new Promise<void>((resolve) => {
			const onEnd = () => {
				socket.destroy();
				this.#onLost(runs);
				resolve();
			};
			void failed.then(onEnd);
			child.once("exit", onEnd);
		});
		return { child, socket, writer, runs, ready, exited };
	}

	/** Its processes have nobody left who reads or ends them. */
	#onLost(runs: Connection["runs"]): void {
		if (this.#connection?.runs === runs) this.#connection = undefined;
		const leaders = new Set([...runs.values()].flatMap(({ pid }) => pid ?? []));
		const marks = new Set([...runs.values()].flatMap(({ mark }) => mark ?? []));
		const others = leaders.size > 0 ? findOtherGroups(leaders, marks) : [];
		for (const group of [...leaders, ...others]) signalGroup(group, "SIGKILL");
		const message = this.#stopped
			? "the service stopped while the process was running"
			: "the process launcher ended unexpectedly; the process was killed";
		for (const run of runs.values()) run.fail(new SvcError("SVC_RUNNER", message));
		if (this.#stopped) return;
		this.#options.metrics?.onLauncherLost();
		this.#options.onLost?.();
	}
}

/** From source it needs the loader that runs the tests; built, it is plain JavaScript and starts at once. */
function launcherArguments(spawner: LauncherInfo["spawner"] | undefined): string[] {
	const fromSource = import.meta.url.endsWith(".ts");
	const file = fileURLToPath(new URL(`./launcher-process.${fromSource ? "ts" : "js"}`, import.meta.url));
	const loader = fromSource ? ["--import", import.meta.resolve("tsx")] : [];
	return ["--max-old-space-size=256", ...loader, file, ...(spawner === undefined ? [] : [spawner])];
}
