import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { backendVariable } from "../../core/testing/backends/backend-names.test-support.ts";
import { extentVariable } from "../../core/testing/extent.test-support.ts";
import { bundleTests, findPrograms, testFolders, testTarget } from "../build/bundle-tests.ts";
import { linkSources } from "../build/link-sources.ts";
import { runTestFile, type TestRun } from "../run-test-file.ts";
import { planJobs } from "../test-plan.ts";
import { inMemoryDisk } from "../test-servers.ts";
import { allMutants } from "./all-mutants.ts";
import { type Mutant, takeOut } from "./mutant.ts";

// Takes mechanisms out of a copy of the project, one at a time, and runs the tests that must notice it: `npm run mutants [-- <name> …]`.

/** Seconds that a test file may take: a file that hangs without the mechanism has noticed that it is gone. */
const timeout = 60;
/** Seconds for the rest of a file in which a test has failed: the file names the test at its end. */
const secondsAfterFailure = 5;

interface Outcome {
	readonly mutant: Mutant;
	/** Test files that passed although the mechanism was gone. */
	readonly unnoticed: readonly string[];
	readonly seconds: number;
	/** Names of the tests that failed. */
	readonly failed: readonly string[];
}

/** Links to tracked files, and to those that are new, in a directory that is removed at the end. */
function copyProject(): string {
	// Hard links need the file system of the project, and names that Git ignores.
	mkdirSync("build", { recursive: true });
	const copy = mkdtempSync(resolve("build", "mutants-"));
	const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], { encoding: "utf8" });
	for (const file of listed.split("\0").filter((name) => name !== "" && existsSync(name))) {
		mkdirSync(dirname(join(copy, file)), { recursive: true });
		linkSync(file, join(copy, file));
	}
	for (const folder of ["node_modules", "dist"]) symlinkSync(resolve(folder), join(copy, folder));
	return copy;
}

/** Tries a mutant in the current directory, which is a copy of the project. */
async function tryMutant(mutant: Mutant): Promise<Outcome> {
	const target = mutant.file;
	const source = readFileSync(target, "utf8");
	const begun = performance.now();
	const unnoticed: string[] = [];
	const failed: string[] = [];
	try {
		replace(target, takeOut(mutant, source));
		for (const test of mutant.tests) {
			const { code, output, timedOut } = await runAsShortSuite(test);
			assertRan(mutant, output);
			if (code === 0) unnoticed.push(test);
			else failed.push(timedOut ? `${test} failed or hung, and did not end by itself` : toFailure(test, output));
		}
	} finally {
		replace(target, source);
	}
	return { mutant, unnoticed, failed, seconds: Math.round((performance.now() - begun) / 1_000) };
}

/** Runs a test file of the current directory as the short suite does: from a build, on SQLite if it is one that runs on several backends. */
async function runAsShortSuite(test: string): Promise<TestRun> {
	if (testFolders.some((folder) => test.startsWith(`${folder}/`))) await bundleTests([test, ...findPrograms([test])]);
	const backends = planJobs([test], { extent: "short" }).map(({ backend }) => backend);
	const environment = backends.includes("sqlite") ? { [backendVariable]: "sqlite", ...inMemoryDisk() } : {};
	return runTestFile(test, timeout, { [extentVariable]: "short", ...environment }, { secondsAfterFailure });
}

/** Writes a file of its own: what is written into a linked file would change the project. */
function replace(target: string, text: string): void {
	rmSync(target, { force: true });
	writeFileSync(target, text);
}

/** Throws if the file could not be run at all, which would show nothing. */
function assertRan(mutant: Mutant, output: string): void {
	if (/Transform failed|Build failed|ERR_MODULE_NOT_FOUND/.test(output)) throw new Error(`mutant ${mutant.name} cannot be run:\n${output}`);
}

/** Name of the first test that failed, or the last line of what was printed. */
function toFailure(file: string, output: string): string {
	const [, name] = /^\s*FAIL\s+(.*)$/m.exec(output) ?? [];
	return `${file}: ${name ?? output.trim().split("\n").at(-1) ?? ""}`;
}

async function main(names: readonly string[]): Promise<number> {
	const chosen = allMutants.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));
	// Before anything runs, so that a text that was changed is named at once.
	for (const mutant of chosen) takeOut(mutant, readFileSync(mutant.file, "utf8"));
	const copy = copyProject();
	process.chdir(copy);
	linkSources(testTarget, testFolders);
	let unnoticedCount = 0;
	try {
		for (const [index, mutant] of chosen.entries()) {
			const { unnoticed, failed, seconds } = await tryMutant(mutant);
			const place = `${index + 1}/${chosen.length}`;
			const verdict = unnoticed.length === 0 ? "noticed" : "UNNOTICED";
			process.stdout.write(`${verdict.padEnd(9)} ${place} (${seconds} s) ${mutant.name}: ${mutant.promise}\n`);
			for (const failure of failed) process.stdout.write(`          fails: ${failure}\n`);
			for (const test of unnoticed) process.stdout.write(`          passes without it: ${test}\n`);
			if (unnoticed.length > 0) unnoticedCount += 1;
		}
	} finally {
		rmSync(copy, { recursive: true });
	}
	process.stdout.write(`${chosen.length} mechanisms removed, ${unnoticedCount} of them unnoticed\n`);
	return unnoticedCount === 0 && chosen.length > 0 ? 0 : 1;
}

const { positionals } = parseArgs({ allowPositionals: true });
process.chdir(dirname(dirname(import.meta.dirname)));
process.exitCode = await main(positionals);
