import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { ended, killGroup, nodeOptions, running, type TestRun, toEnvironment, toRunnable } from "./run-test-file.ts";
import { readReport, type WorkerReport, withoutReport } from "./worker-report.ts";

/** Bytes of memory beyond which a process gets no further file: to collect a large heap takes longer than to start a process. */
const mostMemory = 500 * 1_048_576;
/** Milliseconds that a process has to end by itself when it gets no more files. */
const endTime = 10_000;
/** The program that runs the files: it is built for those of the build, which needs nothing else of tsx. */
export const worker = "scripts/test-worker.ts";
export const builtWorker = "build/test-worker.js";

/** A process that runs several test files, one after another. */
export class TestProcess {
	readonly #child: ChildProcess;
	/** Its exit code, and the seconds of the processor that it has used in all. */
	readonly #exit: Promise<{ readonly code: number | null; readonly processorSeconds: number }>;
	/** What it has printed since the present file began, and the part of it that came by its standard output. */
	#pieces: string[] = [];
	#stdout = "";
	#onEnd: (end: WorkerReport) => void = () => {};
	/** Seconds of the processor that were told at the end of its files. */
	#told = 0;
	#hasFailed = false;
	#isLarge = false;

	/** @param isBuilt whether its files come from the build of the tests; as for `toRunnable` */
	constructor(environment: NodeJS.ProcessEnv, isBuilt: boolean) {
		this.#child = spawn(
			process.execPath,
			[...nodeOptions, ...(isBuilt ? ["--enable-source-maps", builtWorker] : ["--import", "tsx", worker])],
			{
				stdio: ["ignore", "pipe", "pipe", "ipc"],
				env: toEnvironment(environment),
				// A group of its own, so that it ends together with what its files have started.
				detached: true,
			},
		);
		if (this.#child.pid !== undefined) running.add(this.#child.pid);
		this.#exit = once(this.#child, "exit").then(([code]) => ({ code: code as number | null, processorSeconds: ended.take() }));
		this.#child.stderr?.setEncoding("utf8").on("data", (piece: string) => this.#pieces.push(piece));
		this.#child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
			this.#pieces.push(piece);
			this.#stdout += piece;
			const end = readReport(this.#stdout);
			// What was written to the other pipe before may arrive at the same moment.
			if (end !== undefined) setImmediate(() => this.#onEnd(end));
		});
	}

	/** Whether it may run one more file: a file that has failed may have left anything behind. */
	get isUsable(): boolean {
		return !this.#hasFailed && !this.#isLarge;
	}

	/** @param timeout seconds after which the process is killed */
	async run(file: string, timeout: number): Promise<TestRun> {
		this.#pieces = [];
		this.#stdout = "";
		let timedOut = false;
		const timer = setTimeout(() => {
			timedOut = true;
			killGroup(this.#child.pid);
		}, timeout * 1000);
		const atEnd = new Promise<WorkerReport>((resolve) => {
			this.#onEnd = resolve;
		});
		this.#child.send(toRunnable(file).path);
		const end = await Promise.race([
			atEnd,
			this.#exit.then((exit) => ({ code: exit.code || 1, processorSeconds: exit.processorSeconds - this.#told, memory: 0 })),
		]);
		clearTimeout(timer);
		this.#told += end.processorSeconds;
		this.#hasFailed = end.code !== 0;
		this.#isLarge = end.memory > mostMemory;
		return { ...end, code: timedOut ? null : end.code, output: withoutReport(this.#pieces.join("")), timedOut };
	}

	/** Lets it end. Gives false where it had to be killed although no file has failed: one of them has left something behind that goes on. */
	async end(): Promise<boolean> {
		const timer = setTimeout(() => killGroup(this.#child.pid), endTime);
		if (this.#child.connected) this.#child.disconnect();
		await this.#exit;
		clearTimeout(timer);
		killGroup(this.#child.pid);
		if (this.#child.pid !== undefined) running.delete(this.#child.pid);
		return this.#hasFailed || this.#child.signalCode === null;
	}
}
