import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

/** Snapshots that earlier test files made, relative to the project. Making one takes 6 s of the processor. */
const keptDirectory = join("build", "pyodide-snapshots");

/**
 * Lends the snapshots of earlier test files to the engine of a test. A snapshot that does not fit is no risk: the engine replaces a snapshot that
 * was made from other sources.
 */
export class KeptSnapshot {
	readonly #directory: string;
	/** Modification times of the lent files, by name. */
	readonly #lent = new Map<string, number>();

	/** @param dataDirectory data directory of the engine */
	constructor(dataDirectory: string) {
		this.#directory = join(dataDirectory, "pyodide");
	}

	/** Copies the kept snapshots to the engine, before its first run. Returns false if there are none. */
	lend(): boolean {
		const names = existsSync(keptDirectory) ? findSnapshots(keptDirectory) : [];
		if (names.length > 0) mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
		for (const name of names) {
			copyFileSync(join(keptDirectory, name), join(this.#directory, name));
			this.#lent.set(name, statSync(join(this.#directory, name)).mtimeMs);
		}
		return names.length > 0;
	}

	/** Keeps the snapshots that the engine made itself, for later test files. */
	keep(): void {
		for (const name of existsSync(this.#directory) ? findSnapshots(this.#directory) : []) {
			const made = join(this.#directory, name);
			if (statSync(made).mtimeMs === this.#lent.get(name)) continue;
			mkdirSync(keptDirectory, { recursive: true });
			const unfinished = join(keptDirectory, `${name}.${process.pid}`);
			copyFileSync(made, unfinished);
			renameSync(unfinished, join(keptDirectory, name));
		}
	}
}

function findSnapshots(directory: string): readonly string[] {
	return readdirSync(directory).filter((name) => name.endsWith(".snapshot"));
}
