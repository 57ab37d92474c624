// test-suite: full
// test-timeout: 300
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test } from "uvu";
import { findFiles } from "../find-files.ts";
import { instrument } from "./instrument.ts";

const folders = ["core", "plugins", "plugins-auth", "plugins-runner"];
const scenarios = ["scripts/main-path/scenarios.ts", "scripts/main-path/instrument.ts"];

/**
 * The most files that a scenario may enter, and the most changes from one file to another. They may fall: then lower them here. They may
 * rise only in a commit that says why.
 */
const bounds = {
	noop: { files: 112, changes: 330 },
	echo: { files: 129, changes: 485 },
	webhook: { files: 128, changes: 410 },
	chunk: { files: 48, changes: 116 },
};

test("the way of an execution, a webhook and a line of output through the code gets no longer", () => {
	const directory = mkdtempSync(join(tmpdir(), "svc-main-path-"));
	try {
		copyInstrumented(directory);
		const output = execFileSync("node", ["--import", "tsx", "scripts/main-path/scenarios.ts"], { cwd: directory, encoding: "utf8" });
		const counts = JSON.parse(output) as typeof bounds;
		for (const [name, { files, changes }] of Object.entries(bounds)) {
			const counted = counts[name as keyof typeof bounds];
			assert.ok(
				counted.files <= files && counted.changes <= changes,
				`${name}: ${JSON.stringify(counted)}, ${files} and ${changes} at most`,
			);
		}
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

function copyInstrumented(directory: string): void {
	const isSource = (file: string) => file.endsWith(".ts") && !file.endsWith(".test.ts");
	for (const file of [...findFiles(folders, () => true), ...scenarios, "package.json", "tsconfig.json"]) {
		const target = join(directory, file);
		mkdirSync(dirname(target), { recursive: true });
		if (isSource(file) && !scenarios.includes(file)) writeFileSync(target, instrument(readFileSync(file, "utf8"), file));
		else copyFileSync(file, target);
	}
	symlinkSync(resolve("node_modules"), join(directory, "node_modules"));
}

test.run();
