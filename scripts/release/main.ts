import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pack } from "../packed/npm.test-support.ts";
import { run } from "../run.ts";
import { findReleaseProblems, toNotes } from "./release-notes.ts";

// Makes what is published of a version: `npm run release [-- --untested]`. The tarball, its checksum and the notes are in `release/` afterwards;
// nothing leaves the machine.
const { values } = parseArgs({ options: { untested: { type: "boolean", default: false } } });
/** What is in it is made anew each time. */
const directory = resolve("release");

async function read(file: string, args: readonly string[]): Promise<string> {
	const { code, output } = await run(file, args);
	if (code !== 0) throw new Error(`${file} ${args.join(" ")}: ${output}`);
	return output;
}

async function main(): Promise<number> {
	const changelog = readFileSync("CHANGELOG.md", "utf8");
	const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
	const { version: lockVersion } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { readonly version: string };
	const changes = await read("git", ["status", "--porcelain"]);
	const tags = (await read("git", ["tag", "--list"])).split("\n");
	const problems = findReleaseProblems({ version, lockVersion, changelog, changes, tags });
	for (const problem of problems) process.stderr.write(`${problem}\n`);
	if (problems.length > 0) return 1;
	for (const args of [["run", "check"], ...(values.untested ? [] : [["test"]])]) {
		process.stdout.write(`npm ${args.join(" ")}\n`);
		const { code, output } = await run("npm", args);
		if (code !== 0) {
			process.stderr.write(output);
			return 1;
		}
	}
	rmSync(directory, { recursive: true, force: true });
	mkdirSync(directory);
	const tarball = await pack(directory);
	const sum = createHash("sha256").update(readFileSync(tarball)).digest("hex");
	writeFileSync(join(directory, "SHA256SUMS"), `${sum}  ${basename(tarball)}\n`);
	writeFileSync(join(directory, "notes.md"), toNotes(changelog, version));
	process.stdout.write(`${tarball}, SHA256SUMS and notes.md are in ${directory}. To publish:\n`);
	process.stdout.write(`  git tag -a v${version} -F ${directory}/notes.md && git push --tags\n  npm publish ${tarball}\n`);
	return 0;
}

process.exitCode = await main();
