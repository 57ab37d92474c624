// test-timeout: 300
// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { testExternalJobRunner } from "../external-job-suite.ts";
import { WorkerEngine } from "./worker-engine.test-support.ts";

const engine = new WorkerEngine();

test.before(() => engine.start());
test.after(() => engine.stop());

testExternalJobRunner({
	test,
	name: "a run on a worker",
	create: () => ({ kind: "runner", name: "local-shell-cmd", create: () => engine.createRunner() }),
	engine,
	cases: {
		prints: (count) => engine.toCase(`i=1; while [ $i -le ${count} ]; do echo line $i; i=$((i+1)); sleep 0.05; done`),
		blocks: engine.toCase("echo ready; exec sleep 600"),
		fails: engine.toCase("echo line 1; exit 3"),
	},
});

test("a worker asks no more about what it was told to be lost, also while processes of that are still ending", () => {
	assert.deepEqual(engine.askedAgain, []);
});

test.run();
