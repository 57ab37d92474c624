// test-timeout: 600
// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { requires } from "../../../core/testing/requires.ts";
import { engineNames, toRequirement } from "./engines.ts";
import { runEngineChaos, runWeakened } from "./run-engines.ts";

// ENGINE_SEED repeats what a failed test has tried.
const seed = Number(process.env["ENGINE_SEED"] ?? Date.now() % 1_000_000);
const rounds = Number(process.env["ENGINE_ROUNDS"] ?? 4);
const { test: engineTest } = requires(test, toRequirement(engineNames));
const print = (line: string) => void process.stdout.write(`${line}\n`);

engineTest(
	"while engines, workers and the service die and jobs are removed by hand, nothing is lost, run twice or left behind",
	async () => {
		print(`ENGINE_SEED=${seed}`);
		const goesOn = (done: number) => done < rounds;
		assert.deepEqual(await runEngineChaos({ seed, engines: engineNames, goesOn, most: 2, patience: 120, print }), []);
	},
);

// Each runner has a mechanism taken out: the promise that it keeps must break, or the test above proves nothing.
engineTest(
	"a runner that does not look for its job, forgets what is recorded of its output, or leaves its container is found out",
	async () => {
		const violations = await runWeakened({ kubernetes: ["look"], podman: ["position", "removal"] }, print);
		const broken = (promise: string, engine: string) => violations.some((one) => one.promise === promise && one.engine === engine);
		assert.ok(broken("once", "kubernetes"), JSON.stringify(violations));
		assert.ok(broken("output", "podman"), JSON.stringify(violations));
		assert.ok(broken("left", "podman"), JSON.stringify(violations));
	},
);

test.run();
