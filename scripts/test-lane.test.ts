import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "uvu";
import type { TestRun } from "./run-test-file.ts";
import { Lane } from "./test-lane.ts";
import { parseReport } from "./test-report.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-lane-"));
test.after(() => rmSync(directory, { recursive: true }));

const uvu = JSON.stringify(resolve("node_modules/uvu/dist/index.mjs"));
const isOwn = { isAlone: true };

/** A test file whose one test is `body`, and what is to be run of it. */
function toJob(name: string, body: string, { isAlone = false, timeout = 20 } = {}) {
	const file = join(directory, `${name}.test.mjs`);
	writeFileSync(file, `import { test } from ${uvu};\ntest("${name}", async () => {\n${body}\n});\ntest.run();\n`);
	return { file, name, timeout, isWaiting: false, isAlone, isFullOnly: false };
}

/** Runs files in a lane; gives their runs, and the files that were named as hanging. */
async function run(jobs: readonly ReturnType<typeof toJob>[], environments: readonly NodeJS.ProcessEnv[] = []) {
	const lane = new Lane();
	const runs: TestRun[] = [];
	for (const [index, job] of jobs.entries()) runs.push(await lane.run(job, environments[index] ?? {}));
	return { runs, hanging: await lane.end() };
}

const printPid = "process.stdout.write(`process ${process.pid}\\n`);";
const toPid = ({ output }: TestRun) => /process (\d+)/.exec(output)?.[1];
const toCounts = ({ output, code }: TestRun) => {
	const { passed, failed } = parseReport("", output, code);
	return [passed, failed];
};

test("files share a process, each with its own report and the environment and directory that the first one found", async () => {
	const change = `${printPid} process.env.LANE_LEFT = "left"; process.env.LANE_SET = "changed"; process.chdir("/");`;
	const look = `${printPid} console.log(JSON.stringify([process.env.LANE_LEFT ?? null, process.env.LANE_SET, process.cwd()]));`;
	const { runs, hanging } = await run([toJob("a", change), toJob("b", look)], [{ LANE_SET: "set" }, { LANE_SET: "set" }]);
	const [first, second] = runs as [TestRun, TestRun];
	assert.equal(toPid(first), toPid(second));
	assert.deepEqual(
		[toCounts(first), toCounts(second)],
		[
			[1, 0],
			[1, 0],
		],
	);
	assert.ok(second.output.includes(JSON.stringify([null, "set", process.cwd()])), second.output);
	assert.ok(!second.output.includes("\0"), second.output);
	assert.deepEqual(hanging, []);
});

test("another environment, a failed file and a file that asks for it lead to a new process", async () => {
	const jobs = [toJob("c", printPid), toJob("d", `${printPid} throw new Error("no");`), toJob("e", printPid), toJob("f", printPid, isOwn)];
	const { runs } = await run(jobs, [{ LANE_SET: "one" }]);
	assert.equal(new Set(runs.map(toPid)).size, 4);
	assert.deepEqual(runs.map(toCounts), [
		[1, 0],
		[0, 1],
		[1, 0],
		[1, 0],
	]);
});

test("a file that ends the process, or hangs, fails alone", async () => {
	const jobs = [
		toJob("g", "process.exit(0);"),
		toJob("h", "await new Promise(() => setInterval(() => {}, 1e3));", { timeout: 1 }),
		toJob("i", ""),
	];
	const { runs, hanging } = await run(jobs);
	assert.deepEqual(runs.map(toCounts), [
		[0, 1],
		[0, 1],
		[1, 0],
	]);
	assert.deepEqual(
		runs.map(({ timedOut }) => timedOut),
		[false, true, false],
	);
	assert.deepEqual(hanging, []);
});

test("a process that goes on after its last file is killed, and its files are named", async () => {
	const { runs, hanging } = await run([toJob("j", "setInterval(() => {}, 1e3);"), toJob("k", "")]);
	assert.deepEqual(runs.map(toCounts), [
		[1, 0],
		[1, 0],
	]);
	assert.deepEqual(hanging, ["j, k"]);
});

test("a file is told the time of the processor that it has used", async () => {
	const compute =
		"for (const end = process.cpuUsage().user + 3e5; process.cpuUsage().user < end; ) for (let count = 1e5; count > 0; count--);";
	const { runs } = await run([toJob("l", compute), toJob("m", "")]);
	const [busy, idle] = runs.map(({ processorSeconds }) => processorSeconds) as [number, number];
	assert.ok(busy >= 0.3 && idle < 0.2, `${busy} ${idle}`);
});

test.run();
