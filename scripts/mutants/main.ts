import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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
}

/** Tracked files, and those that are new, in a directory that is removed at the end. */
function copyProject(): string {
	const copy = mkdtempSync(join(tmpdir(), "svc-mutants-"));
	const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], { encoding: "utf8" });
	for (const file of listed.split("\0").filter((name) => name !== "")) cpSync(file, join(copy, file));
	for (const folder of ["node_modules", "dist"]) symlinkSync(resolve(folder), join(copy, folder));
	return copy;
}

async function tryMutant(copy: string, mutant: Mutant): Promise<Outcome> {
	const target = join(copy, mutant.file);
	const source = readFileSync(target, "utf8");
	writeFileSync(target, takeOut(mutant, source));
	const unnoticed: string[] = [];
	try {
		for (const test of mutant.tests) {
			const { code } = await runTestFile(test, timeout, {}, copy);
			if (code === 0) unnoticed.push(test);
		}
	} finally {
		writeFileSync(target, source);
	}
	return { mutant, unnoticed };
}

async function main(names: readonly string[]): Promise<number> {
	const chosen = allMutants.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));
	// Before anything runs, so that a text that was changed is named at once.
	for (const mutant of chosen) takeOut(mutant, readFileSync(mutant.file, "utf8"));
	const copy = copyProject();
	let left = 0;
	try {
		for (const [index, mutant] of chosen.entries()) {
			const { unnoticed } = await tryMutant(copy, mutant);
			const place = `${index + 1}/${chosen.length}`;
			process.stdout.write(`${unnoticed.length === 0 ? "noticed  " : "UNNOTICED"} ${place} ${mutant.name}: ${mutant.promise}\n`);
			for (const test of unnoticed) process.stdout.write(`          passes without it: ${test}\n`);
			if (unnoticed.length > 0) left += 1;
		}
	} finally {
		rmSync(copy, { recursive: true });
	}
	process.stdout.write(`${chosen.length - left} of ${chosen.length} mechanisms were noticed\n`);
	return left === 0 && chosen.length > 0 ? 0 : 1;
}

const { positionals } = parseArgs({ allowPositionals: true });
process.chdir(dirname(dirname(import.meta.dirname)));
process.exitCode = await main(positionals);
