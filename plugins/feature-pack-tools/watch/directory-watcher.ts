import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Matches names of hidden, temporary and generated files, which pack authors do not edit. */
const ignored = /^(?:\.|__pycache__$|node_modules$)|~$|\.(?:pyc|swp|tmp)$/;
/** Maximum number of files in one scan. */
const maxFiles = 20_000;

/** State of each file, by path. */
type FileStates = ReadonlyMap<string, string>;

/**
 * Detects changes below directories by polling, which works on every file system and in containers; a pack is small enough for that.
 * Changes are reported when two consecutive scans are equal, because editors and `git` write many files in sequence.
 */
export class DirectoryWatcher {
	readonly #directories: readonly string[];
	readonly #interval: number;
	#last: FileStates = new Map();

	/** @param interval milliseconds between two scans; five times the duration of a scan if that is longer */
	constructor(directories: readonly string[], interval = 300) {
		this.#directories = directories;
		this.#interval = interval;
	}

	/** Scans the directories. The first call of `next` reports changes since this scan. */
	async start(): Promise<void> {
		this.#last = await this.#look();
	}

	/** Waits for changes. Returns the absolute paths added, changed or removed since the last call. Rejects when `signal` aborts. */
	async next(signal: AbortSignal): Promise<readonly string[]> {
		let seen = this.#last;
		for (;;) {
			const began = performance.now();
			const look = await this.#look();
			const changed = compare(this.#last, look);
			if (changed.length > 0 && compare(seen, look).length === 0) {
				this.#last = look;
				return changed;
			}
			seen = look;
			await delay(Math.max(this.#interval, 5 * (performance.now() - began)), undefined, { signal });
		}
	}

	async #look(): Promise<FileStates> {
		const look = new Map<string, string>();
		const folders = [...this.#directories];
		for (let folder = folders.pop(); folder !== undefined && look.size < maxFiles; folder = folders.pop()) {
			// The next scan detects a folder that is removed during this scan.
			for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
				if (ignored.test(entry.name)) continue;
				const path = join(folder, entry.name);
				if (entry.isDirectory()) folders.push(path);
				else look.set(path, await toState(path));
			}
		}
		return look;
	}
}

async function toState(path: string): Promise<string> {
	const found = await stat(path).catch(() => undefined);
	return found === undefined ? "" : `${found.ino}:${found.mtimeMs}:${found.size}:${found.mode}`;
}

function compare(before: FileStates, after: FileStates): readonly string[] {
	const gone = [...before.keys()].filter((path) => !after.has(path));
	return [...gone, ...[...after].filter(([path, state]) => before.get(path) !== state).map(([path]) => path)].sort();
}
