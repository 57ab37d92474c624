import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { runTestFile } from "../run-test-file.ts";
import { allMutants } from "./all-mutants.ts";
import { type Mutant, takeOut } from "./mutant.ts";

// Takes mechanisms out of a copy of the project, one at a time, and runs the tests that must notice it: `npm run mutants [-- <name> …]`.

/** Seconds that a test file may take; one that hangs without the mechanism has noticed it, too. */
const timeout = 120;

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

async function tryMutant(copy: string, mutant: Mutant): Promise<Outcome> {
	const target = join(copy, mutant.file);
	const source = readFileSync(target, "utf8");
	const begun = performance.now();
	const unnoticed: string[] = [];
	const failed: string[] = [];
	try {
		replace(target, takeOut(mutant, source));
		for (const test of mutant.tests) {
			const { code, output, timedOut } = await runTestFile(test, timeout, { SVC_TEST_BACKEND: mutant.backend ?? "memory" }, copy);
			if (code === 0) unnoticed.push(test);
			else failed.push(timedOut ? `${test} ran for ${timeout} s` : toFailure(test, output));
		}
	} finally {
		replace(target, source);
	}
	return { mutant, unnoticed, failed, seconds: Math.round((performance.now() - begun) / 1_000) };
}

/** Writes a file of its own: what is written into a linked file would change the project. */
function replace(target: string, text: string): void {
	rmSync(target, { force: true });
	writeFileSync(target, text);
}

/** Name of the first test that failed, or the last line of what was printed. */
function toFailure(file: string, output: string): string {
	const [, name] = /^\s*FAIL\s+(.*)$/m.exec(output) ?? [];
	return `${file}: ${name ?? output.trim().split("\n").at(-1) ?? ""}`;
}

/** Capital letters: the command fails. */
function toVerdict({ isOpen }: Mutant, isNoticed: boolean): "noticed" | "open" | "UNNOTICED" | "CLOSED" {
	if (isOpen) return isNoticed ? "CLOSED" : "open";
	return isNoticed ? "noticed" : "UNNOTICED";
}

async function main(names: readonly string[]): Promise<number> {
	const chosen = allMutants.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));
	// Before anything runs, so that a text that was changed is named at once.
	for (const mutant of chosen) takeOut(mutant, readFileSync(mutant.file, "utf8"));
	const copy = copyProject();
	let open = 0;
	let wrong = 0;
	try {
		for (const [index, mutant] of chosen.entries()) {
			const { unnoticed, failed, seconds } = await tryMutant(copy, mutant);
			const place = `${index + 1}/${chosen.length}`;
			const verdict = toVerdict(mutant, unnoticed.length === 0);
			process.stdout.write(`${verdict.padEnd(9)} ${place} (${seconds} s) ${mutant.name}: ${mutant.promise}\n`);
			if (verdict === "CLOSED") process.stdout.write("          is noticed by now: remove `isOpen`\n");
			for (const failure of failed) process.stdout.write(`          fails: ${failure}\n`);
			for (const test of unnoticed) process.stdout.write(`          passes without it: ${test}\n`);
			if (verdict === "open") open += 1;
			if (verdict === "UNNOTICED" || verdict === "CLOSED") wrong += 1;
		}
	} finally {
		rmSync(copy, { recursive: true });
	}
	process.stdout.write(`${chosen.length} mechanisms removed: ${open} known holes, ${wrong} to correct\n`);
	return wrong === 0 && chosen.length > 0 ? 0 : 1;
}

const { positionals } = parseArgs({ allowPositionals: true });
process.chdir(dirname(dirname(import.meta.dirname)));
process.exitCode = await main(positionals);
