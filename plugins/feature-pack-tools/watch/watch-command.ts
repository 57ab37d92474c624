import { relative, resolve } from "node:path";
import { type CliContext, type PackOperations, write } from "../../../core/cli.ts";
import { CheckRounds, type RoundOptions } from "./check-rounds.ts";
import { DirectoryWatcher } from "./directory-watcher.ts";

export interface WatchOptions extends Pick<RoundOptions, "config" | "reload"> {
	readonly directories: readonly string[];
	readonly packs: PackOperations;
	/** Milliseconds between two scans. */
	readonly interval?: number;
}

/** Checks and tests packs, and repeats that after each change until Ctrl-C. */
export async function watchPacks({ directories, interval, ...options }: WatchOptions, { stdout, onInterrupt }: CliContext): Promise<void> {
	const controller = new AbortController();
	const { signal } = controller;
	const leave = onInterrupt(() => controller.abort());
	const base = process.cwd();
	const looks = new DirectoryWatcher(
		directories.map((directory) => resolve(directory)),
		interval,
	);
	const rounds = new CheckRounds({ directories, base, ...options });
	const print = (lines: readonly string[]) => write(stdout, lines.map((line) => `${line}\n`).join(""));
	try {
		await looks.start();
		for (;;) {
			await print((await rounds.next(signal)).lines);
			const changed = await looks.next(signal);
			await print(["", `changed: ${toNames(changed, base)}`]);
		}
	} catch (error) {
		if (!signal.aborted) throw error;
	} finally {
		leave();
	}
}

const maxNames = 5;

function toNames(paths: readonly string[], base: string): string {
	const names = paths.slice(0, maxNames).map((path) => relative(base, path));
	return names.join(", ") + (paths.length > maxNames ? ` and ${paths.length - maxNames} more` : "");
}
