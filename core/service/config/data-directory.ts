import { chmod, mkdir, stat } from "node:fs/promises";
import { SvcError, toErrorMessage } from "../../contract/index.ts";

/** Permission bits of a directory for its group and all other users. */
const othersMode = 0o077;

/**
 * Returns a warning if other users of the machine can read or change the data directory. Returns undefined if the directory does not exist.
 */
export async function findOpenDataDirectory(path: string): Promise<string | undefined> {
	const found = await stat(path).catch(() => undefined);
	if (found === undefined || (found.mode & othersMode) === 0) return undefined;
	const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
	return `data_dir: "${path}" is accessible to other users of the machine (mode ${mode}), but contains password hashes, keys and outputs; hint: chmod 700 ${path}`;
}

/**
 * Creates the data directory if needed. Other users get no access: it contains password hashes and the records of all executions. Throws
 * `SVC_CONFIG` if that fails.
 */
export async function prepareDataDirectory(path: string): Promise<void> {
	try {
		const created = await mkdir(path, { recursive: true, mode: 0o700 });
		if (created !== undefined) await chmod(path, 0o700);
	} catch (error) {
		throw new SvcError("SVC_CONFIG", `data_dir: cannot create "${path}": ${toErrorMessage(error)}`, { cause: error });
	}
}
