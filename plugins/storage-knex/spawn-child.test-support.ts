import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { toProgram } from "../../core/testing/program.test-support.ts";

export interface Child {
	/** Lines so far, without those that a kill cut off. */
	readonly lines: readonly string[];
	/** Resolves once there are this many lines, or the process has ended. */
	waitForLines(count: number): Promise<void>;
	/** Ends it at once, as a crash would. */
	kill(): Promise<void>;
	/** Resolves with the exit status, null after a kill. */
	readonly exit: Promise<number | null>;
}

export function spawnChild(mode: "open" | "insert" | "fill" | "output", place: string): Child {
	const program = toProgram("./killed-service.test-support", import.meta.url);
	const child = spawn(process.execPath, [...program, mode, place], { stdio: ["ignore", "pipe", "inherit"] });
	const lines: string[] = [];
	const reader = createInterface({ input: child.stdout });
	reader.on("line", (line) => lines.push(line));
	const closed = once(child, "close");
	const exit = closed.then(([code]) => code as number | null);
	return {
		lines,
		exit,
		async waitForLines(count) {
			while (lines.length < count && child.exitCode === null && child.signalCode === null) {
				await Promise.race([once(reader, "line"), closed]);
			}
		},
		async kill() {
			child.kill("SIGKILL");
			await exit;
		},
	};
}
