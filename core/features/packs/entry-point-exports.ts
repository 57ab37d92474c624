import { realpath, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { SvcError, toErrorMessage } from "../../contract/index.ts";
import { isInside } from "../../lib/safe-path.ts";

/**
 * Returns the absolute path of an entry point below a folder of a pack. Throws `SVC_INVALID` if the path leaves the folder, also through a
 * symbolic link, or if the file does not exist.
 */
export async function resolveEntryPoint(
	packDirectory: string,
	entryPoint: string,
	folder: "actions" | "sensors" = "actions",
): Promise<string> {
	const directory = resolve(packDirectory, folder);
	const path = resolve(directory, entryPoint);
	if (entryPoint === "" || isAbsolute(entryPoint) || entryPoint.includes("\0") || !isInside(directory, path)) {
		throw new SvcError("SVC_INVALID", `attribute "entry_point" must be the path of a file below the ${folder} directory of the pack`);
	}
	try {
		const [realDirectory, realFile] = await Promise.all([realpath(directory), realpath(path)]);
		if (!isInside(realDirectory, realFile))
			throw new SvcError("SVC_INVALID", `attribute "entry_point" must not lead out of the ${folder} directory through a link`);
		if (!(await stat(realFile)).isFile()) throw new SvcError("SVC_INVALID", 'attribute "entry_point" must name a file');
		return path;
	} catch (error) {
		if (error instanceof SvcError) throw error;
		throw new SvcError("SVC_INVALID", `attribute "entry_point" names "${entryPoint}", which cannot be read: ${toErrorMessage(error)}`, {
			cause: error,
		});
	}
}
