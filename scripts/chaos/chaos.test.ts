// test-suite: full
// test-timeout: 600
// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { hasFalseClocks } from "./false-clock.ts";
import { faultNames } from "./faults.ts";
import type { Violation } from "./oracle.ts";
import { type ChaosOptions, runChaos } from "./run-chaos.ts";

const chaosTest = postgresTest(test);
const clockTest: typeof chaosTest = hasFalseClocks ? chaosTest : requires(test, { command: "faketime" }).test;
// CHAOS_SEED repeats what a failed test has tried.
// `npm run chaos -- --prove` takes mechanisms out, one at a time, and shows that these promises break then.
const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);
const print = (line: string) => void process.stdout.write(`${line}\n`);

/** Runs the nodes for seconds instead of minutes, under a third of the load of `npm run chaos`. */
function run(
	options: Partial<ChaosOptions> & Pick<ChaosOptions, "faults" | "seconds" | "lease" | "patience">,
): Promise<readonly Violation[]> {
	print(`CHAOS_SEED=${seed}`);
	return runChaos({ seed, interval: 1.5, busLoss: 0.3, bus: "postgres", inFlight: 4, without: [], print, ...options });
}

chaosTest("three nodes keep every promise while nodes die and stand still, the database goes away and the bus loses events", async () => {
	assert.deepEqual(await run({ seconds: 6, faults: faultNames, lease: 3, patience: 30 }), []);
});

/**
 * Seconds: where no run may be lost, none must be for want of time on a busy machine. After an outage each node has a third of the lease
 * to renew what it holds before the others may think that it is gone.
 */
const longLease = 15;

clockTest("nodes that never hear of each other lose no run, while the database goes away and clocks are set", async () => {
	const faults = ["database", "connections", "clock"] as const;
	assert.deepEqual(await run({ seconds: 4, faults, roles: "split", busLoss: 1, lease: longLease, patience: 45 }), []);
});

test.run();
