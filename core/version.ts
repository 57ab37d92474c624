import { readFileSync } from "node:fs";

/** Version of the package: the nearest package.json above this file, which is one level up in sources and two in dist. */
export const version: string = readVersion();

function readVersion(): string {
	for (const path of ["../package.json", "../../package.json"]) {
		try {
			const { name, version: found } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
			if (name === "svc") return found;
		} catch {
			// Not there: try the next place.
		}
	}
	return "0.0.0";
}
