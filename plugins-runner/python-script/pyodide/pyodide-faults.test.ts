// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { pythonScript } from "../index.ts";
import { PythonPack, usePyodide } from "../python-pack.test-support.ts";

// Actions that break their interpreter, or do not want to end: each says why it ended, and the runs after it are unharmed.
const pack = new PythonPack(test);
const runner = usePyodide(test, pythonScript({ engine: "pyodide", pyodide: { memory_limit: 128, warm_workers: 0 } }));

test("one that does not want to be interrupted is ended", async () => {
	const body = "print('begun')\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass";
	const run = runner.context(pack.body("uninterrupted", body));
	const end = runner.run(run);
	await run.waitFor("stdout", "begun\n");
	run.abort("cancel");
	const { succeeded, result } = await end;
	assert.equal(succeeded, false);
	assert.ok([-15, -9].includes(Number(result["exit_code"])), String(result["exit_code"]));
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

test("os._exit ends with its code and without a result", async () => {
	const seven = await runner.run(pack.body("exit_seven", "os._exit(7)"));
	assert.deepEqual([seven.succeeded, seven.result["result"], seven.result["exit_code"]], [false, "None", 7]);
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

test("a run after all of them is unharmed", async () => {
	const { succeeded, result } = await runner.run(pack.body("unharmed", "return 'unharmed'"));
	assert.deepEqual([succeeded, result["result"], result["exit_code"]], [true, "unharmed", 0]);
});

test.run();
