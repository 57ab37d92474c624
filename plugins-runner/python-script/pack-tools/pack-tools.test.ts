import * as assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as everyTest } from "uvu";
import type { PackTestResult } from "../../../core/contract/index.ts";
import { createPluginContext } from "../../../core/testing/plugin-context.ts";
import { createMarker, eventually, findProcesses } from "../../_process/launcher.test-support.ts";
import { pythonScript } from "../index.ts";
import { PythonPack, withPython } from "../python-pack.test-support.ts";

const test = withPython(everyTest);
const data = mkdtempSync(join(tmpdir(), "svc-tools-"));
const modules = new PythonPack(test);
const runner = pythonScript({ engine: "cpython" }).create();
const never = new AbortController().signal;

test.before(async () => {
	modules.write("othertests.py", "import unittest\nclass Base(unittest.TestCase):\n    answer = 42\n");
	await runner.start?.({ ...createPluginContext({ dataDirectory: data, pythonPaths: [modules.directory] }) });
});
test.after(async () => {
	await runner.stop?.();
	rmSync(data, { recursive: true, force: true });
});

async function withFiles(files: Readonly<Record<string, string>>, use: (directory: string) => Promise<void>): Promise<void> {
	const pack = new PythonPack({ after: () => {} });
	try {
		for (const [path, text] of Object.entries(files)) pack.write(path, text);
		await use(pack.directory);
	} finally {
		rmSync(pack.directory, { recursive: true });
	}
}

async function inspect(files: Readonly<Record<string, string>>) {
	let places: readonly string[] = [];
	await withFiles(files, async (directory) => {
		const findings = (await runner.packTools?.inspect?.({ pack: "yard", directory, signal: never })) ?? [];
		places = findings.map(({ type, file, line, message }) => `${type} ${file}:${line ?? ""} ${message}`);
		for (const file of Object.keys(files)) assert.equal(existsSync(join(directory, file, "..", "__pycache__")), false);
	});
	return places;
}

async function runTests(files: Readonly<Record<string, string>>, only?: string): Promise<readonly PackTestResult[]> {
	let results: readonly PackTestResult[] = [];
	await withFiles(files, async (directory) => {
		results = (await runner.packTools?.test?.({ pack: "yard", directory, signal: never, only })) ?? [];
	});
	return results;
}

const toVerdicts = (results: readonly PackTestResult[]) =>
	results.map(
		({ file, name, problems, skipped }) => `${problems.length > 0 ? "not ok" : skipped === undefined ? "ok" : "skipped"} ${file} ${name}`,
	);

test("files that do not compile are found with their line, and none is run or written", async () => {
	const findings = await inspect({
		"actions/good.py": "raise RuntimeError('run')\n",
		"actions/lib/bad.py": "def a():\n    return 1 +\n",
		"sensors/tabs.py": "if True:\n\ta = 1\n        b = 2\n",
		"sensors/null.py": "a = 1\0\n",
	});
	const kinds = findings.map((finding) => finding.replace(/ (SyntaxError|TabError|cannot be compiled): .*/, " $1"));
	assert.deepEqual([kinds[0], kinds[2]], ["error actions/lib/bad.py:2 SyntaxError", "error sensors/tabs.py:3 TabError"]);
	// Versions of Python differ in what they call it.
	assert.match(findings[1] ?? "", /^error sensors\/null\.py: .*null bytes/);
});

const action = `
from svc.actions import Action
import herd

class Count(Action):
    def run(self, yard):
        self.action_service.set_value("last", yard)
        return (yard in herd.YARDS, {"sheep": self.config["sheep"]})
`;
const actionTest = `
from svc.testing import ActionTestCase
from count import Count

class CountTest(ActionTestCase):
    action_class = Count
    config = {"sheep": 3}

    def test_known(self):
        self.assertEqual(self.run_action(yard="north"), (True, {"sheep": 3}))
        self.assertEqual(self.service.get_value("last"), "north")
        self.assertEqual(list(self.service.values), ["yard.Count:last"])

    def test_unknown(self):
        self.assertFalse(self.run_action(yard="moon")[0])

    def test_wrong(self):
        self.assertEqual(self.run_action(yard="moon")[0], True)
`;

test("tests of actions find their modules, a configuration and a datastore", async () => {
	const results = await runTests({
		"actions/count.py": action,
		"actions/lib/herd.py": "YARDS = ['north']\n",
		"tests/test_count.py": actionTest,
	});
	assert.deepEqual(toVerdicts(results), [
		"ok tests/test_count.py CountTest.test_known",
		"ok tests/test_count.py CountTest.test_unknown",
		"not ok tests/test_count.py CountTest.test_wrong",
	]);
	assert.match(
		results[2]?.problems[0] ?? "",
		/^Traceback[^]*File "tests\/test_count.py", line \d+, in test_wrong[^]*AssertionError: False != True$/,
	);
});

test("tests of sensors see what was dispatched", async () => {
	const results = await runTests({
		"sensors/gate.py": `
class Gate:
    def __init__(self, sensor_service, config=None, poll_interval=5):
        self.sensor_service, self.poll_interval = sensor_service, poll_interval
    def poll(self):
        self.sensor_service.get_logger("gate").info("looked")
        self.sensor_service.dispatch("yard.opened", {"every": self.poll_interval}, trace_tag="t")
`,
		"tests/test_gate.py": `
from svc.testing import SensorTestCase
from gate import Gate
class GateTest(SensorTestCase):
    sensor_class = Gate
    def test_poll(self):
        self.make_sensor(poll_interval=7).poll()
        self.assert_dispatched("yard.opened", {"every": 7})
        self.assertEqual(self.dispatched("yard.closed"), [])
    def test_nothing(self):
        self.assert_dispatched("yard.opened")
`,
	});
	assert.deepEqual(toVerdicts(results), ["not ok tests/test_gate.py GateTest.test_nothing", "ok tests/test_gate.py GateTest.test_poll"]);
});

test("a module that cannot be imported is one problem, and the others run; what is skipped says why", async () => {
	const results = await runTests({
		"tests/test_broken.py": "import nowhere_at_all\n",
		"tests/test_others.py": `
import unittest, othertests
class Others(othertests.Base):
    def test_answer(self):
        self.assertEqual(self.answer, 42)
    @unittest.skip("no field")
    def test_field(self):
        pass
    def test_parts(self):
        for part in (1, 2):
            with self.subTest(part=part):
                self.assertEqual(part, 1)
class Setup(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("no yard")
    def test_never(self):
        pass
`,
	});
	assert.deepEqual(toVerdicts(results).slice(0, 4), [
		"not ok tests/test_broken.py test_broken can be imported",
		"ok tests/test_others.py Others.test_answer",
		"skipped tests/test_others.py Others.test_field",
		"not ok tests/test_others.py Others.test_parts",
	]);
	assert.match(results[4]?.name ?? "", /^setUpClass/);
	assert.match(results[4]?.problems[0] ?? "", /RuntimeError: no yard$/);
	assert.equal(results.length, 5);
	assert.match(results[0]?.problems[0] ?? "", /No module named 'nowhere_at_all'/);
	assert.match(results[3]?.problems[0] ?? "", /^\{'part': 2\}: [^]*2 != 1/);
});

test("one that takes the interpreter down fails, and what it printed is told", async () => {
	const results = await runTests({
		"tests/test_exit.py": `
import os, unittest
class Exit(unittest.TestCase):
    def test_a(self):
        print("going")
    def test_b(self):
        os._exit(7)
`,
	});
	assert.deepEqual(toVerdicts(results), ["ok tests/test_exit.py Exit.test_a", "not ok tests all tests come to their end"]);
	assert.match(results[1]?.problems[0] ?? "", /exit code 7: going$/);
});

test("only those that are asked for run", async () => {
	const files = { "actions/count.py": action, "actions/lib/herd.py": "YARDS = ['north']\n", "tests/test_count.py": actionTest };
	assert.deepEqual(toVerdicts(await runTests(files, "unknown")), ["ok tests/test_count.py CountTest.test_unknown"]);
});

test("a pack without tests has no results", async () => {
	assert.deepEqual(await runTests({ "actions/count.py": action }), []);
});

test("what is set up once for a class is set up once, beside other classes of the module", async () => {
	const results = await runTests({
		"tests/test_once.py": `
import unittest
class Shared(unittest.TestCase):
    count = 0
    @classmethod
    def setUpClass(cls):
        Shared.count += 1
    def test_a(self): self.assertEqual(Shared.count, 1)
    def test_b(self): self.assertEqual(Shared.count, 1)
class Other(unittest.TestCase):
    def test_c(self): pass
`,
	});
	assert.deepEqual(
		toVerdicts(results),
		["Other.test_c", "Shared.test_a", "Shared.test_b"].map((name) => `ok tests/test_once.py ${name}`),
	);
});

test("what only tests need is installed for them", async () => {
	const local = pythonScript({ engine: "cpython", pip_arguments: ["--no-index"], base_requirements: [] }).create();
	const text = `
import sys, unittest
class Place(unittest.TestCase):
    def test_place(self): self.assertNotEqual(sys.prefix, sys.base_prefix)
`;
	await local.start?.(createPluginContext({ dataDirectory: data }));
	const run = (requirements: string) =>
		withFiles({ "requirements-tests.txt": requirements, "tests/test_place.py": text }, async (directory) => {
			const results = await local.packTools?.test?.({ pack: "yard", directory, signal: never });
			assert.deepEqual(toVerdicts(results ?? []), ["ok tests/test_place.py Place.test_place"]);
		});
	try {
		await run("pip\n");
		await assert.rejects(run("svc-nowhere==1.0\n"), /svc-nowhere==1.0/);
	} finally {
		await local.stop?.();
	}
});

test("whoever waits no more ends the tests with everything they have started", async () => {
	const marker = createMarker();
	const text = `
import subprocess, unittest
class Long(unittest.TestCase):
    def test_long(self):
        subprocess.run(["sleep", "${marker}"])
`;
	await withFiles({ "tests/test_long.py": text }, async (directory) => {
		const controller = new AbortController();
		const ended = assert.rejects(runner.packTools?.test?.({ pack: "yard", directory, signal: controller.signal }) ?? Promise.resolve());
		assert.ok(await eventually(() => findProcesses(marker).length > 0));
		controller.abort();
		await ended;
		assert.ok(await eventually(() => findProcesses(marker).length === 0));
	});
});

everyTest.run();
