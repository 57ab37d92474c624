// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { pythonScript } from "../index.ts";
import { PythonPack, usePyodide } from "../python-pack.test-support.ts";

// Actions that break their interpreter, or do not want to end: each says why it ended, and the runs after it are unharmed.
const pack = new PythonPack(test);
const runner = usePyodide(test, pythonScript({ engine: "pyodide", pyodide: { memory_limit: 128, warm_workers: 0 } }));

test("one that does not want to be interrupted is ended after its time, and says so", async () => {
	const body = "print('begun')\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass";
	const run = runner.context({ ...pack.body("uninterrupted", body), runnerParameters: { timeout: 7 } });
	const end = runner.run(run);
	await run.waitFor("stdout", "begun\n");
	run.abort("timeout");
	const { succeeded, result } = await end;
	assert.deepEqual([succeeded, result["result"], result["exit_code"], result["stdout"]], [false, "None", -9, "begun\n"]);
	assert.equal(result["error"], "Action failed to complete in 7 seconds");
});

test("Python gets no more memory than the limit", async () => {
	const { succeeded, result } = await runner.run(pack.body("memory", "x = []\nwhile True: x.append(bytearray(1000000))"));
	assert.deepEqual([succeeded, result["exit_code"]], [false, 1]);
	assert.match(String(result["stderr"]), /MemoryError/);
});

test("memory that is taken beside Python's ends the run too", async () => {
	const body = "import js\nx = []\nwhile True:\n    x.append(js.Uint8Array.new(10000000))\n    x[-1].fill(1)";
	const { succeeded, result } = await runner.run(pack.body("buffers", body));
	assert.equal(succeeded, false);
	assert.match(String(result["error"]), /needed more than 128 MiB of memory/);
});

for (const [name, body] of [
	["aborts", "os.abort()"],
	["overwrites the interpreter", "import ctypes\nctypes.memset(1024, 255, 20000000)\nreturn 1"],
] as const) {
	test(`one that ${name} fails and says why`, async () => {
		const { succeeded, result } = await runner.run(pack.body(name.replaceAll(" ", "_"), `print('begun')\n${body}`));
		assert.equal(succeeded, false, JSON.stringify(result));
		assert.notEqual(result["exit_code"], 0);
		assert.match(`${result["error"]}`, /interpreter/);
	});
}

test("a run after all of them is unharmed, and ends by os._exit with its code and without a result", async () => {
	const { succeeded, result } = await runner.run(pack.body("unharmed", "print('unharmed')\nos._exit(7)"));
	assert.deepEqual([succeeded, result["result"], result["exit_code"], result["stdout"]], [false, "None", 7, "unharmed\n"]);
});

test.run();
