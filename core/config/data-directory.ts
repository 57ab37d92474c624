import { chmod, mkdir } from "node:fs/promises";
import { SvcError, toErrorMessage } from "../contract/index.ts";

/** Create the data directory if need be, closed to other users: it holds password hashes and everything that was run. */
export async function prepareDataDirectory(path: string): Promise<void> {
	try {
		const created = await mkdir(path, { recursive: true, mode: 0o700 });
		if (created !== undefined) await chmod(path, 0o700);
	} catch (error) {
		throw new SvcError("SVC_CONFIG", `data_dir: cannot create "${path}": ${toErrorMessage(error)}`, { cause: error });
	}
}
