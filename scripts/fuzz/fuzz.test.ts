// test-timeout: 300
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { describe } from "./describe.ts";
import { runFuzz } from "./run-fuzz.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);

for (const seed of [1, 2]) {
	test(`nothing that seed ${seed} asks for fails, stalls, ends or opens the service`, async () => {
		const findings = await runFuzz({ seed, requests: 360, seconds: 90, shrinkSeconds: 30, most: 3, print });
		assert.equal(findings.map(describe).join("\n\n"), "");
	});
}

test.run();
