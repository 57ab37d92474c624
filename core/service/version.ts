import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const found = readPackage();

/** Version of the package. */
export const version: string = found.version;

/** Path of the package.json of this package. Undefined if there is none, as in a bundle. */
export const packageFile: string | undefined = found.file;

/** Reads the nearest package.json above this file, which is two levels up in the sources and three in dist. */
function readPackage(): { readonly version: string; readonly file?: string } {
	for (const path of ["../../package.json", "../../../package.json"]) {
		try {
			const file = fileURLToPath(new URL(path, import.meta.url));
			const { name, version } = JSON.parse(readFileSync(file, "utf8"));
			if (name === "svc-automation") return { version, file };
		} catch {
			// The file does not exist here: try the next path.
		}
	}
	return { version: "0.0.0" };
}
