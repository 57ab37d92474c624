// test-suite: full
import * as assert from "node:assert/strict";
import { relative } from "node:path";
import { test } from "uvu";
import { CapturedText } from "../../core/testing/cli/captured-text.test-support.ts";
import { withPackOnDisk } from "../../core/testing/packs/pack-on-disk.test-support.ts";
import { runSvc } from "../_shipped/run-svc.ts";
import { checkPacks } from "./check-packs.ts";
import { testPacks } from "./test-packs.ts";

async function run(...words: readonly string[]) {
	const [stdout, stderr] = [new CapturedText(), new CapturedText()];
	const packs = { check: checkPacks, test: testPacks };
	const exitCode = await runSvc(["pack", ...words], { stdout, stderr, env: { HOME: "/nonexistent" }, packs });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

const count = "name: count\nrunner_type: local-shell-cmd\n";

test("check prints what is wrong as compilers do, and ends with 1", () =>
	withPackOnDisk({ "actions/count.yaml": `${count}colour: red\n`, "herd.csv": "" }, async ({ directory }) => {
		const { exitCode, stdout } = await run("check", directory);
		const place = relative(process.cwd(), directory);
		const lines = [
			`${place}/actions/count.yaml:3: error: unknown attribute "colour" (colour)`,
			`${place}/herd.csv: note: a file with this name is ignored`,
			"yard: 1 error, 1 note",
		];
		assert.deepEqual([exitCode, stdout], [1, `${lines.join("\n")}\n`]);
	}));

test("notes let check end with 0, unless it is strict", () =>
	withPackOnDisk({ "actions/count.yaml": count, "herd.csv": "" }, async ({ directory }) => {
		assert.equal((await run("check", directory)).exitCode, 0);
		assert.equal((await run("check", directory, "--strict")).exitCode, 1);
	}));

test("check prints JSON with pack, directory and findings", () =>
	withPackOnDisk({ "actions/count.yaml": count }, async ({ directory }) => {
		const { exitCode, stdout } = await run("check", "-j", directory);
		assert.deepEqual([exitCode, JSON.parse(stdout)], [0, [{ pack: "yard", directory, findings: [] }]]);
	}));

test("a directory that is no pack is a wrong use of the command", async () => {
	const { exitCode, stderr } = await run("check", "/nonexistent");
	assert.deepEqual([exitCode, stderr], [2, 'error: "/nonexistent" is not a directory\n']);
});

const cases = `
- { name: nothing is counted, payload: {}, expect: { matches: false } }
- { name: all is counted, payload: {} }
`;
const rule =
	"name: feed\ntrigger: { type: core.svc.webhook, parameters: { url: feed } }\ncriteria: { trigger.body: { type: exists, pattern: true } }\naction: { ref: yard.count }\n";
const files = { "actions/count.yaml": count, "rules/feed.yaml": rule, "tests/rules/feed.yaml": cases };

test("test prints each test and ends with 1 when one fails", () =>
	withPackOnDisk(files, async ({ directory }) => {
		const { exitCode, stdout } = await run("test", directory);
		const lines = [
			"ok   tests/rules/feed.yaml: nothing is counted",
			"FAIL tests/rules/feed.yaml: all is counted",
			'     the rule does not match: criterion "trigger.body" does not match',
			"yard: 1 passed, 1 failed",
		];
		assert.deepEqual([exitCode, stdout], [1, `${lines.join("\n")}\n`]);
		assert.equal((await run("test", directory, "--only", "nothing")).exitCode, 0);
	}));

test("test reports as JSON and in the XML of continuous integration", () =>
	withPackOnDisk(files, async ({ directory }) => {
		const [{ pack, results }] = JSON.parse((await run("test", directory, "--reporter", "json")).stdout);
		assert.deepEqual([pack, results.length, results[1].name, results[1].problems.length], ["yard", 2, "all is counted", 1]);
		const { stdout } = await run("test", directory, "--reporter", "junit");
		assert.match(stdout, /<testsuite name="yard" tests="2" failures="1" time="[\d.]+">/);
		assert.match(stdout, /<testcase name="nothing is counted" classname="yard.tests\/rules\/feed.yaml" time="[\d.]+"\/>/);
	}));

test.run();
