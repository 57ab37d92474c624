import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Only what has changed: whoever watches files is not told of others, and what runs meanwhile finds its files as they were. */
export function writeChanged(file: string, content: string | Uint8Array): void {
	const bytes = Buffer.from(content);
	if (existsSync(file) && readFileSync(file).equals(bytes)) return;
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, bytes);
}

/**
 * Remove what an earlier build has left, and folders that have become empty by that.
 *
 * @param wanted paths that stay, beginning with the directory's
 */
export function removeOthers(directory: string, wanted: ReadonlySet<string>): void {
	for (const entry of readdirSync(directory, { withFileTypes: true })) {
		const path = join(directory, entry.name);
		if (!entry.isDirectory()) {
			if (!wanted.has(path)) rmSync(path);
		} else if (entry.name !== "__pycache__") {
			removeOthers(path, wanted);
			if (readdirSync(path).length === 0) rmSync(path, { recursive: true });
		}
	}
}
