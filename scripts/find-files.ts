import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Paths of the files below `directories` that `accept` takes, in order. Directories that do not exist are passed over. */
export function findFiles(directories: readonly string[], accept: (file: string) => boolean): string[] {
	return directories
		.filter((directory) => existsSync(directory))
		.flatMap((directory) =>
			readdirSync(directory, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => join(entry.parentPath, entry.name)),
		)
		.filter((file) => !file.includes("node_modules") && accept(file))
		.sort();
}
