import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, posix } from "node:path";
import type { PackageExports } from "../package/check-exports.ts";
import { writeChanged } from "./files.ts";

// The part of the build that checks the types and says what types the package has.
const made = "build/declarations";
/** What the compiler knows of its last run, as tsconfig.build.json names it. */
const state = join(made, ".tsbuildinfo");
/** The same, of a run that has come to its end. */
const finished = join(made, ".finished");
const imports = /(?:\bfrom\s+|\bimport\(|\bimport\s+)"(\.[^"]+)"/g;

/** Of all declarations those that the package's exports lead to; gives their paths. The rest is nobody's. */
export function makeDeclarations(): readonly string[] {
	compile();
	const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly exports: PackageExports };
	const wanted = new Set(Object.values(exports).flatMap((to) => (typeof to === "string" ? [] : [posix.relative("dist", to.types)])));
	for (const file of wanted) {
		const text = readFileSync(join(made, file), "utf8");
		for (const [, specifier = ""] of text.matchAll(imports))
			wanted.add(posix.join(posix.dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")));
		writeChanged(join("dist", file), text);
	}
	return [...wanted].map((file) => join("dist", file));
}

/**
 * The compiler writes only what has changed since its last run. One that was interrupted may have noted what it had not written yet,
 * and would never write it: after that it begins from nothing.
 */
function compile(): void {
	rmSync(state, { force: true });
	if (existsSync(finished)) renameSync(finished, state);
	const { status } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
	if (status !== 0) process.exit(status ?? 1);
	renameSync(state, finished);
}
