// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { toProgram } from "../../../core/testing/program.test-support.ts";
import { eventually, findProcesses } from "../../_process/launcher.test-support.ts";
import { pythonScript } from "../index.ts";
import { PythonPack, useRunner } from "../python-pack.test-support.ts";
import { KeptSnapshot } from "./kept-snapshot.test-support.ts";

// Snapshots and processes, from the first run to the end of the service.
const pack = new PythonPack(test);
const runner = useRunner(test, pythonScript({ engine: "pyodide", pyodide: { idle_time: 1 } }));
const directory = join(runner.dataDirectory, "pyodide");
const kept = new KeptSnapshot(runner.dataDirectory);

test("nothing is made or started before the first run", async () => {
	await runner.restart();
	assert.deepEqual(readdirSync(runner.dataDirectory), []);
	assert.deepEqual(findProcesses(runner.dataDirectory), []);
});

test("a broken snapshot is made anew, once for all runs at the same time, which keep their output apart", async () => {
	if (!kept.lend()) await runner.run(pack.body("first", "return 1"));
	const file = join(directory, snapshots()[0] ?? "");
	// Its length is right: `snapshot-file.test.ts` has the other ways to be broken.
	const broken = readFileSync(file).fill(0, 1_000_000, 1_000_100);
	writeFileSync(file, broken);
	// No worker that started from the intact one is ready.
	await runner.restart();
	const options = pack.body("share", "for i in range(50): print('line', parameters['n'])\nreturn parameters['n']");
	const ends = await Promise.all([1, 2].map((n) => runner.run({ ...options, actionParameters: { n } })));
	assert.deepEqual(
		ends.map(({ result }) => result["result"]),
		[1, 2],
	);
	assert.deepEqual(
		ends.map(({ run }) => run.text("stdout")),
		[1, 2].map((n) => `line ${n}\n`.repeat(50)),
	);
	const [name, ...others] = snapshots();
	assert.deepEqual(others, []);
	assert.match(name ?? "", new RegExp(`^${process.version}-\\d+\\.\\d+\\.\\d+\\.snapshot$`));
	assert.equal(statSync(file).mode & 0o777, 0o600);
	assert.notEqual(Buffer.compare(readFileSync(file), broken), 0);
	kept.keep();
});

test("workers end when nothing has been run for a while", async () => {
	assert.ok(await eventually(() => readdirSync(join(directory, "workers")).length === 0, 30_000));
	assert.deepEqual(findProcesses(runner.dataDirectory), []);
});

test("a stop ends what runs and what was prepared", async () => {
	const run = runner.context(pack.body("stopped", "print('begun')\nwhile True: pass"));
	const end = runner.run(run);
	await run.waitFor("stdout", "begun\n");
	await runner.restart();
	const { succeeded } = await end;
	assert.equal(succeeded, false);
	assert.deepEqual(findProcesses(runner.dataDirectory), []);
});

test("nothing outlives a service that is killed", async () => {
	const dataDirectory = mkdtempSync(join(tmpdir(), "svc-python-killed-"));
	cpSync(directory, join(dataDirectory, "pyodide"), { recursive: true, filter: (path) => !path.endsWith("workers") });
	const { entryPoint } = pack.body(
		"outlives",
		"print('begun')\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass",
	);
	const program = toProgram("./pyodide-service.test-support", import.meta.url);
	const child = spawn(process.execPath, [...program, dataDirectory, entryPoint ?? "", pack.directory], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	try {
		await once(child.stdout, "data");
		assert.ok(await eventually(() => findProcesses(join(dataDirectory, "pyodide", "workers")).length >= 2, 30_000));
		child.kill("SIGKILL");
		assert.ok(await eventually(() => findProcesses(join(dataDirectory, "pyodide")).length === 0, 10_000));
	} finally {
		child.kill("SIGKILL");
		rmSync(dataDirectory, { recursive: true, force: true });
	}
});

function snapshots(): readonly string[] {
	return readdirSync(directory).filter((name) => name.includes(".snapshot"));
}

test.run();
