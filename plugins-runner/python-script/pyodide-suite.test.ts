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
import { KeptSnapshot } from "./pyodide/kept-snapshot.test-support.ts";
import { PythonPack } from "./python-pack.test-support.ts";

const pack = new PythonPack(everyTest);
const dataDirectory = mkdtempSync(join(tmpdir(), "svc-pyodide-"));
const snapshot = new KeptSnapshot(dataDirectory);
everyTest.before(() => void snapshot.lend());
everyTest.after(() => {
	snapshot.keep();
	rmSync(dataDirectory, { recursive: true });
});

/** A runner that finds the snapshot of an earlier test: making one takes longer than all the rest. */
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

/** Statements that other files test on this engine. A start of an interpreter takes 1.8 s of the processor, so that each is tested once. */
const testedElsewhere = new Set([
	// pyodide-table.test.ts
	"a successful action resolves as succeeded, with a result that survives JSON",
	"a failing action resolves as not succeeded",
	"bytes that are not valid text do no harm",
	"a character that arrives in several pieces is emitted whole",
	"a run that closes its output early ends when it ends, with its own status",
	// pyodide-run.test.ts
	"an abort (cancel) ends the run within the grace and keeps the output",
	"a run that was aborted before it started ends at once",
	"output is emitted completely and in order",
	"nothing more is emitted on a channel while an emit has not resolved",
	// pyodide-faults.test.ts
	"an abort (timeout) ends the run within the grace and keeps the output",
	// pyodide-service.test.ts, with two runs rather than 20 and 5
	"one instance runs many actions concurrently",
	"concurrent runs keep their output separate",
	"an abort (shutdown) ends the run within the grace and keeps the output",
]);
const suiteName = "python script on pyodide";
const test = (name: string, run: () => Promise<void>) => {
	if (!testedElsewhere.has(name.slice(suiteName.length + 2))) everyTest(name, run);
};

testRunner({
	patience: 30_000,
	test,
	name: suiteName,
	create: createPlugin,
	// `pyodide-run.test.ts` and `pyodide-faults.test.ts` have runs that do not end by themselves.
	cases: createCases(pack),
	// Python is loaded before anything can be refused, and on a busy machine that takes its time.
	grace: 20_000,
});

everyTest.run();
