// test-suite: full
// test-timeout: 600
// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { requires } from "../../../core/testing/requires.ts";
import { engineNames, toRequirement } from "./engines.ts";
import { runEngineChaos } from "./run-engines.ts";

// ENGINE_ROUNDS says how many rounds there are, ENGINE_SEED repeats what a failed test has tried.
const seed = Number(process.env["ENGINE_SEED"] ?? Date.now() % 1_000_000);
const count = Number(process.env["ENGINE_ROUNDS"] ?? 1);
const { test: engineTest } = requires(test, toRequirement(engineNames));
const print = (line: string) => void process.stdout.write(`${line}\n`);

// `npm run chaos -- --engines all --prove` shows that this fails where a runner lacks a mechanism.
engineTest(
	"while engines, workers and the service die and jobs are removed by hand, nothing is lost, run twice or left behind",
	async () => {
		print(`ENGINE_SEED=${seed}`);
		const goesOn = (done: number) => done < count;
		assert.deepEqual(await runEngineChaos({ seed, engines: engineNames, goesOn, most: 2, patience: 120, print }), []);
	},
);

test.run();
