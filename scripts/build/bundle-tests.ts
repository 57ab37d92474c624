import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { findFiles } from "../find-files.ts";
import { bundle } from "./bundle.ts";

/** Directory of the built tests. */
export const testTarget = "build/tests";
/** Folders whose tests are built. */
export const testFolders = ["core", "plugins", "plugins-auth", "plugins-runner"];

/** What nearly every test loads, in many files each. */
const packages = ["ajv", "ajv-formats", "commander", "h3", "listhen", "semver", "yaml"];

export const findSources = (): readonly string[] => findFiles(testFolders, (file) => file.endsWith(".ts"));
export const findTests = (): readonly string[] => findSources().filter((file) => file.endsWith(".test.ts"));

/** The files that some sources start as programs. */
export function findPrograms(sources: readonly string[]): readonly string[] {
	return sources.flatMap((file) =>
		[...readFileSync(file, "utf8").matchAll(/\btoProgram\("([^"]+)", import\.meta\.url\)/g)].map(([, name = ""]) =>
			posix.join(posix.dirname(file), `${name}.ts`),
		),
	);
}

/** Builds tests, or what they start, into `testTarget`. Returns the paths of the files. */
export function bundleTests(entries: readonly string[]): Promise<readonly string[]> {
	return bundle({ entries: [...new Set(entries)], outdir: testTarget, sourcemap: true, packages });
}
