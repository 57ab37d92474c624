import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** What is no work of whoever writes the pack. */
const ignored = /^(?:\.|__pycache__$|node_modules$)|~$|\.(?:pyc|swp|tmp)$/;
/** Most files that are looked at. */
const mostFiles = 20_000;

/** Files by path, with what tells one state from another. */
type Look = ReadonlyMap<string, string>;

/**
 * Tells of changes below directories by looking again and again: that works on every file system, in containers too, and a pack is small. A change is
 * told of once nothing has changed any more between two looks, as editors and `git` write many files one after the other.
 */
export class DirectoryLooks {
	readonly #directories: readonly string[];
	readonly #interval: number;
	#last: Look = new Map();

	/** @param interval milliseconds between two looks; more where a look takes long */
	constructor(directories: readonly string[], interval = 300) {
		this.#directories = directories;
		this.#interval = interval;
	}

	/** What is there now is known from here on. */
	async start(): Promise<void> {
		this.#last = await this.#look();
	}

	/** Paths, absolute, of what was added, changed or removed since the last call. Waits for a change; rejects when `signal` aborts. */
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

	async #look(): Promise<Look> {
		const look = new Map<string, string>();
		const folders = [...this.#directories];
		for (let folder = folders.pop(); folder !== undefined && look.size < mostFiles; folder = folders.pop()) {
			// One that goes while it is looked at shows in the next look.
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

function compare(before: Look, after: Look): readonly string[] {
	const gone = [...before.keys()].filter((path) => !after.has(path));
	return [...gone, ...[...after].filter(([path, state]) => before.get(path) !== state).map(([path]) => path)].sort();
}
