// test-suite: full
// test-timeout: 600
// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { requires } from "../../../core/testing/test-requirements.ts";
import { engineNames, toRequirement } from "./engines.ts";
import { runEngineChaos } from "./run-engines.ts";

// ENGINE_ROUNDS says how many rounds there are, ENGINE_SEED repeats what a failed test has tried.
const seed = Number(process.env["ENGINE_SEED"] ?? Date.now() % 1_000_000);
const given = process.env["ENGINE_ROUNDS"];
const count = Number(given ?? 1);
/** Every second engine where ENGINE_ROUNDS is not set; the seed says which ones. */
const engines = given === undefined ? engineNames.filter((_, index) => index % 2 === seed % 2) : engineNames;
const { test: engineTest } = requires(test, toRequirement(engines));
const print = (line: string) => void process.stdout.write(`${line}\n`);

// `npm run chaos -- --engines all --prove` shows that this fails where a runner lacks a mechanism.
engineTest(
	"while engines, workers and the service die and jobs are removed by hand, nothing is lost, run twice or left behind",
	async () => {
		print(`ENGINE_SEED=${seed}`);
		const goesOn = (done: number) => done < count;
		assert.deepEqual(await runEngineChaos({ seed, engines, goesOn, most: 2, patience: 120, print }), []);
	},
);

test.run();
