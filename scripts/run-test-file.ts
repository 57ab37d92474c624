import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";

export interface TestRun {
	readonly code: number | null;
	readonly output: string;
	readonly timedOut: boolean;
}

const running = new Set<number>();

/** Run a test file in a process of its own, which ends together with all that it has started. */
export function runTestFile(file: string, timeout: number, environment: NodeJS.ProcessEnv): Promise<TestRun> {
	return new Promise((resolve) => {
		// A group of its own, so that a file that hangs is ended together with what it started.
		const child = spawn(process.execPath, toArguments(file), {
			stdio: ["ignore", "pipe", "pipe"],
			env: { ...process.env, ...environment, FORCE_COLOR: "0", NO_COLOR: "1" },
			detached: true,
		});
		const group = child.pid;
		if (group !== undefined) running.add(group);
		const pieces = collect(child);
		let timedOut = false;
		const timer = setTimeout(() => {
			timedOut = true;
			killGroup(group);
		}, timeout * 1000);
		// "exit" rather than "close": a process that the file left behind may hold the pipes for ever.
		child.on("exit", (code) => {
			clearTimeout(timer);
			setImmediate(() => {
				killGroup(group);
				if (group !== undefined) running.delete(group);
				resolve({ code: timedOut ? null : code, output: Buffer.concat(pieces).toString("utf8"), timedOut });
			});
		});
	});
}

/** End every file that runs. */
export function killRunning(): void {
	for (const group of running) killGroup(group);
}

/** From the build of the tests, which starts in half the time; what is not in it as it is. */
function toArguments(file: string): readonly string[] {
	const built = `build/tests/${file.replace(/\.ts$/, ".js")}`;
	return existsSync(built) ? ["--enable-source-maps", built] : ["--import", "tsx", file];
}

function collect({ stdout, stderr }: ChildProcess): readonly Buffer[] {
	const pieces: Buffer[] = [];
	stdout?.on("data", (piece: Buffer) => pieces.push(piece));
	stderr?.on("data", (piece: Buffer) => pieces.push(piece));
	return pieces;
}

function killGroup(group: number | undefined): void {
	if (group === undefined) return;
	try {
		process.kill(-group, "SIGKILL");
	} catch {
		// The group has ended by itself.
	}
}
