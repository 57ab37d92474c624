import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { EndedChildren } from "./ended-children.ts";

export interface TestRun {
	readonly code: number | null;
	readonly output: string;
	readonly timedOut: boolean;
	/** Of the processor's time, with that of everything the file has started and waited for. */
	readonly processorSeconds: number;
}

/** What uvu prints as soon as a test has failed. */
const failedTest = "✘";

/** The process groups of the files that run. */
export const running = new Set<number>();
/** Told of each file as it ends. */
export const ended = new EndedChildren();

export interface TestRunOptions {
	/** Seconds that the file may go on after its first failed test. Default: until it ends by itself. */
	readonly secondsAfterFailure?: number;
}

/** Runs a test file in a process of its own, which ends together with all that it has started. */
export function runTestFile(
	file: string,
	timeout: number,
	environment: NodeJS.ProcessEnv,
	{ secondsAfterFailure }: TestRunOptions = {},
): Promise<TestRun> {
	return new Promise((resolve) => {
		// What others have used that were no test files, such as what sets up servers.
		if (running.size === 0) ended.take();
		// A group of its own, so that a file that hangs is ended together with what it started.
		const child = spawn(process.execPath, toArguments(file), {
			stdio: ["ignore", "pipe", "pipe"],
			env: toEnvironment(environment),
			detached: true,
		});
		const group = child.pid;
		if (group !== undefined) running.add(group);
		const pieces = collect(child);
		let timedOut = false;
		const endLate = () => {
			timedOut = true;
			killGroup(group);
		};
		let timer = setTimeout(endLate, timeout * 1000);
		child.stdout.on("data", (piece: Buffer) => {
			if (secondsAfterFailure === undefined || !piece.includes(failedTest)) return;
			clearTimeout(timer);
			timer = setTimeout(endLate, secondsAfterFailure * 1000);
		});
		// "exit" rather than "close": a process that the file left behind may hold the pipes for ever.
		child.on("exit", (code) => {
			const processorSeconds = ended.take();
			clearTimeout(timer);
			setImmediate(() => {
				killGroup(group);
				if (group !== undefined) running.delete(group);
				resolve({ code: timedOut ? null : code, output: Buffer.concat(pieces).toString("utf8"), timedOut, processorSeconds });
			});
		});
	});
}

/** End every file that runs. */
export function killRunning(): void {
	for (const group of running) killGroup(group);
}

/**
 * Options of Node for a process that runs test files. By default V8 makes optimized machine code of a function early, which a process that
 * lives for seconds never earns back (a sixth of the processor's time), and its young generation is so small that it is collected all the
 * time (another sixth).
 */
export const nodeOptions = ["--interrupt-budget=1000000", "--max-semi-space-size=64"];

/** What Node is given to run a file. */
function toArguments(file: string): readonly string[] {
	const { path, isBuilt } = toRunnable(file);
	return [...nodeOptions, ...(isBuilt ? ["--enable-source-maps", path] : ["--import", "tsx", path])];
}

/** A file's place in the build of the tests, which starts in half the time; what is not in it as it is. */
export function toRunnable(file: string): { readonly path: string; readonly isBuilt: boolean } {
	const built = `build/tests/${file.replace(/\.ts$/, ".js")}`;
	return existsSync(built) ? { path: built, isBuilt: true } : { path: file, isBuilt: false };
}

export function toEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return { ...process.env, ...environment, FORCE_COLOR: "0", NO_COLOR: "1" };
}

function collect({ stdout, stderr }: ChildProcess): readonly Buffer[] {
	const pieces: Buffer[] = [];
	stdout?.on("data", (piece: Buffer) => pieces.push(piece));
	stderr?.on("data", (piece: Buffer) => pieces.push(piece));
	return pieces;
}

export function killGroup(group: number | undefined): void {
	if (group === undefined) return;
	try {
		process.kill(-group, "SIGKILL");
	} catch {
		// The group has ended by itself.
	}
}
