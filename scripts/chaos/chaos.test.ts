// test-timeout: 900
// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { requires } from "../../core/testing/requires.ts";
import { postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { hasFalseClocks } from "./false-clock.ts";
import { faultNames } from "./faults.ts";
import type { Violation } from "./oracle.ts";
import { type ChaosOptions, runChaos } from "./run-chaos.ts";

const chaosTest = postgresTest(test);
const clockTest: typeof chaosTest = hasFalseClocks ? chaosTest : requires(test, { command: "faketime" }).test;
// CHAOS_SEED repeats what a failed test has tried.
const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);

/** Seconds instead of minutes, with leases that are as short. */
function run(options: Partial<ChaosOptions>): Promise<readonly Violation[]> {
	const print = (line: string) => void process.stdout.write(`${line}\n`);
	print(`CHAOS_SEED=${seed}`);
	return runChaos({
		seed,
		seconds: 6,
		faults: [],
		interval: 1.5,
		lease: 1.5,
		busLoss: 0.3,
		bus: "postgres",
		patience: 10,
		without: [],
		print,
		...options,
	});
}

/**
 * Seconds: where no run may be lost, none must be for want of time on a busy machine. After an outage each node has a third of the lease
 * to renew what it holds before the others may think that it is gone.
 */
const longLease = 15;

const promisesOf = (violations: readonly Violation[]) => new Set(violations.map(({ promise }) => promise));

chaosTest("three nodes keep every promise while nodes die and stand still, the database goes away and the bus loses events", async () => {
	assert.deepEqual(await run({ seconds: 14, faults: faultNames, interval: 1.5, lease: 3, patience: 30 }), []);
});

chaosTest("an outage of the database ends no run of a node that lives", async () => {
	assert.deepEqual(await run({ faults: ["database", "connections"], lease: longLease, patience: 45 }), []);
});

clockTest("a clock that is set ends no run, on its own node or another", async () => {
	assert.deepEqual(await run({ faults: ["clock"], seconds: 12, lease: longLease, patience: 45 }), []);
});

chaosTest("a node that is cut off from the database starts nothing a second time and changes nothing that has ended", async () => {
	assert.deepEqual(await run({ faults: ["hole"], seconds: 12, patience: 30 }), []);
});

chaosTest("nodes that hear nothing of each other find all there is to do by looking", async () => {
	assert.deepEqual(await run({ roles: "split", busLoss: 1, lease: longLease, patience: 45 }), []);
});

// Each of the following takes a mechanism out: the promise that it keeps must break, or the tests above prove nothing.

chaosTest("without the sweep what a dead node ran never ends", async () => {
	assert.ok(promisesOf(await run({ faults: ["kill"], without: ["sweep"] })).has("ends"));
});

chaosTest("without compare-and-set a node that stood still changes what has ended", async () => {
	assert.ok(promisesOf(await run({ faults: ["freeze"], seconds: 10, without: ["compare-and-set"] })).has("final"));
});

chaosTest("without claims that exclude each other executions are started twice", async () => {
	assert.ok(promisesOf(await run({ without: ["claim", "compare-and-set"] })).has("once"));
});

clockTest("without the storage's time a clock that is set ends the runs of other nodes", async () => {
	assert.ok(promisesOf(await run({ faults: ["clock"], seconds: 12, without: ["time"] })).has("alive"));
});

chaosTest("without trying again an outage of the database ends runs", async () => {
	assert.ok(promisesOf(await run({ faults: ["database", "connections"], without: ["retry"] })).has("alive"));
});

chaosTest("without looking for work, what the bus loses waits for ever", async () => {
	assert.ok(promisesOf(await run({ roles: "split", busLoss: 1, without: ["poll"] })).has("ends"));
});

test.run();
