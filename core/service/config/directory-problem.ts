import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Returns why a directory cannot be written to, or why it cannot be created if it does not exist. Returns undefined if it can. Creates
 * nothing.
 */
export async function findDirectoryProblem(path: string): Promise<string | undefined> {
	const directory = resolve(path);
	const found = await stat(directory).catch((error: NodeJS.ErrnoException) => error);
	if (found instanceof Error) {
		const isAbsent = found.code === "ENOENT" && dirname(directory) !== directory;
		return isAbsent ? findDirectoryProblem(dirname(directory)) : `"${directory}" cannot be used (${found.code})`;
	}
	if (!found.isDirectory()) return `"${directory}" is not a directory`;
	return access(directory, constants.W_OK | constants.X_OK).then(
		() => undefined,
		(error: NodeJS.ErrnoException) => `the directory "${directory}" is not writable (${error.code})`,
	);
}
