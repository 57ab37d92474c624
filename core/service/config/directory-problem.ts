import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Why nothing can be written into a directory, or why it cannot be made where it is not there yet; undefined when it can. Nothing is
 * made.
 */
export async function findDirectoryProblem(path: string): Promise<string | undefined> {
	const directory = resolve(path);
	const found = await stat(directory).catch((error: NodeJS.ErrnoException) => error);
	if (found instanceof Error) {
		const isAbsent = found.code === "ENOENT" && dirname(directory) !== directory;
		return isAbsent ? findDirectoryProblem(dirname(directory)) : `"${directory}" cannot be used (${found.code})`;
	}
	if (!found.isDirectory()) return `"${directory}" is no directory`;
	return access(directory, constants.W_OK | constants.X_OK).then(
		() => undefined,
		(error: NodeJS.ErrnoException) => `nothing can be written into "${directory}" (${error.code})`,
	);
}
