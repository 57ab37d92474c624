// test-timeout: 600
// test-suite: full
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as everyTest } from "uvu";
import type { RunnerPlugin } from "../../core/contract/index.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { createCases } from "./cases.test-support.ts";
import { pythonScript } from "./index.ts";
import { PythonPack } from "./python-pack.test-support.ts";

const pack = new PythonPack(everyTest);
const dataDirectory = mkdtempSync(join(tmpdir(), "svc-pyodide-"));
everyTest.after(() => rmSync(dataDirectory, { recursive: true }));

/** A runner that finds the snapshot of the test before: making one takes longer than all the rest. */
function createPlugin(): RunnerPlugin {
	// None is made ready for a run that never comes: `pyodide-service.test.ts` shows what becomes of those.
	const plugin: RunnerPlugin = pythonScript({ engine: "pyodide", pyodide: { warm_workers: 0 } });
	return {
		...plugin,
		create() {
			const runner = plugin.create();
			return { ...runner, start: async (context) => runner.start?.({ ...context, dataDirectory }) };
		},
	};
}

/** They start 20 and 10 interpreters. `pyodide-service.test.ts` has what they state with three. */
const atOnce = /: (one instance runs many actions at once|runs at the same time keep their output apart)$/;
const test = (name: string, run: () => Promise<void>) => {
	if (!atOnce.test(name)) everyTest(name, run);
};

testRunner({
	patience: 30_000,
	test,
	name: "python script on pyodide",
	create: createPlugin,
	cases: { ...createCases(pack), ignoresTerm: pack.body("loops", "print('ready')\nwhile True: pass") },
	// Python is loaded before anything can be refused, and on a busy machine that takes its time.
	grace: 20_000,
});

everyTest.run();
