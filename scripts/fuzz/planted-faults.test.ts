// test-suite: full
// test-timeout: 300
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { describe } from "./describe.ts";
import { plantedFaults } from "./planted-faults.ts";
import { findPlanted, type Proof, proofs } from "./proofs.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);

// A sample of `npm run fuzz -- --prove`, which plants every fault and takes longer to find the fewest requests.
const shrinkSeconds = 3;
const sample: readonly Proof[] = [proofs.restart];

for (const proof of sample) {
	test(proof.name, async () => {
		const finding = await findPlanted({ ...proof, options: { ...proof.options, shrinkSeconds } }, print);
		assert.ok(finding !== undefined && proof.isFound(finding), finding && describe(finding));
	});
}

test("each fault that can be planted has a proof", () => {
	assert.deepEqual(
		Object.values(proofs).map(({ planted }) => planted),
		plantedFaults,
	);
});

test.run();
