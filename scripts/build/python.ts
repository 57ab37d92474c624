import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findFiles } from "../find-files.ts";
import { writeChanged } from "./files.ts";

/** The part of the build that no compiler makes: Python sources, which plugins read beside their own files. Gives their paths. */
export function copyPython(): readonly string[] {
	const sources = ["plugins-runner/python-script/python", "plugins/pack-compatibility/python"];
	return findFiles(sources, (file) => !file.includes("__pycache__")).map((file) => {
		writeChanged(join("dist", file), readFileSync(file));
		return join("dist", file);
	});
}
