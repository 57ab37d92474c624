import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { createBaseEnvironment } from "./environment.ts";
import { Launcher } from "./launcher.ts";
import type { ProcessEnd, ProcessOptions } from "./process-run.ts";
import { acquireLauncher, type LauncherLease } from "./shared-launcher.ts";

export const spawners = ["posix_spawn", "child_process"] as const;

export interface ShellResult extends ProcessEnd {
	readonly stdout: string;
	readonly stderr: string;
	/** Pieces of stdout as they were handed on. */
	readonly pieces: readonly string[];
	readonly milliseconds: number;
}

/** Run a command line and collect what it prints. */
export async function runShell(launcher: Launcher, command: string, options: Partial<ProcessOptions> = {}): Promise<ShellResult> {
	const pieces: string[] = [];
	let stderr = "";
	const begin = performance.now();
	const end = await launcher.run({
		file: "/bin/sh",
		args: ["-c", command],
		cwd: "/",
		env: createBaseEnvironment(),
		signal: new AbortController().signal,
		onStdout: (text) => void pieces.push(text),
		onStderr: (text) => void (stderr += text),
		...options,
	});
	return { ...end, stdout: pieces.join(""), stderr, pieces, milliseconds: performance.now() - begin };
}

/** The hooks of uvu's `test`. */
interface Hooks {
	before(run: () => Promise<void>): void;
	after(run: () => Promise<void>): void;
}

/** One launcher for all tests of a file. */
export function useLauncher(test: Hooks, spawner: (typeof spawners)[number]): Launcher {
	const launcher = new Launcher({ spawner });
	test.after(() => launcher.stop());
	return launcher;
}

/** Keep the node's launcher between tests that each start and stop a runner. */
export function keepLauncher(test: Hooks, node: Parameters<typeof acquireLauncher>[0]): void {
	let lease: LauncherLease | undefined;
	test.before(async () => {
		lease = acquireLauncher(node);
	});
	test.after(async () => lease?.release());
}

export async function withLauncher(spawner: (typeof spawners)[number], use: (launcher: Launcher) => Promise<void>): Promise<void> {
	const launcher = new Launcher({ spawner });
	try {
		await use(launcher);
	} finally {
		await launcher.stop();
	}
}

/** Command lines of the processes that hold `marker`, those that have ended but not been collected left out. */
export function findProcesses(marker: string): string[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
		.flatMap((pid) => {
			try {
				return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
			} catch {
				return [];
			}
		})
		.filter((line) => line.includes(marker));
}

/** Poll until it holds; false when it does not within the time. */
export async function eventually(holds: () => boolean, milliseconds = 5_000): Promise<boolean> {
	const deadline = performance.now() + milliseconds;
	while (!holds()) {
		if (performance.now() > deadline) return false;
		await delay(10);
	}
	return true;
}

let lastMarker = 0;

/** A number of seconds to sleep that no other process on the machine sleeps. */
export function createMarker(): string {
	return `600.${process.pid}${String(++lastMarker).padStart(4, "0")}`;
}
