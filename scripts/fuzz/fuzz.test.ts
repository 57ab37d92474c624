// test-timeout: 300
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { rounds } from "../../core/testing/extent.test-support.ts";
import { describe } from "./describe.ts";
import { runFuzz } from "./run-fuzz.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);

// FUZZ_SEEDS and FUZZ_REQUESTS say how much is asked for. What is asked for at random by the thousand belongs to `npm run fuzz`.
const seeds = rounds({ short: 1, full: 1 }, "FUZZ_SEEDS");
const requests = rounds({ short: 60, full: 120 }, "FUZZ_REQUESTS");

for (let seed = 1; seed <= seeds; seed += 1) {
	test(`nothing that seed ${seed} asks for fails, stalls, ends or opens the service`, async () => {
		const findings = await runFuzz({ seed, requests, seconds: 90, shrinkSeconds: 30, most: 3, print });
		assert.equal(findings.map(describe).join("\n\n"), "");
	});
}

test.run();
