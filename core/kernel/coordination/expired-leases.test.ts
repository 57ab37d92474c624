import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createCounts, withCluster } from "../../testing/engine/policies.test-support.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { toTimestamp } from "../basics/clock.ts";
import { type ExpiredLeaseCondition, ExpiredLeasePoller } from "./expired-leases.ts";

const second = 1_000_000;
const noon = 1_800_000_000 * second;

interface Setup {
	/** Look once: the time that was looked at. */
	look(outcome?: boolean | Error): Promise<ExpiredLeaseCondition["lease_expires_at"]>;
	pass(seconds: number): void;
	/** From when on the clock says nothing. */
	turnOff(isOff: boolean): void;
}

function setUp(): Setup {
	let passed = 0;
	let isOff = false;
	const leasing = { expiredCondition: () => ({ lease_expires_at: { lt: isOff ? "" : toTimestamp(noon + passed * second) } }) };
	const leases = new ExpiredLeasePoller(leasing, () => passed * 1_000);
	return {
		async look(outcome = true) {
			let seen: ExpiredLeaseCondition | undefined;
			const looking = leases.poll(async (lapsed) => {
				seen = lapsed;
				if (outcome instanceof Error) throw outcome;
				return outcome;
			});
			if (outcome instanceof Error) await assert.rejects(looking, outcome);
			else await looking;
			return seen?.lease_expires_at ?? assert.fail("nothing was looked at");
		},
		pass: (seconds) => void (passed += seconds),
		turnOff: (off) => void (isOff = off),
	};
}

test("a look begins where the last one ended, and every half minute at the beginning", async () => {
	const { look, pass } = setUp();
	assert.deepEqual(await look(), { gte: "", lt: toTimestamp(noon) });
	pass(3);
	assert.deepEqual(await look(), { gte: toTimestamp(noon - second), lt: toTimestamp(noon + 3 * second) });
	pass(26);
	assert.equal((await look()).gte, toTimestamp(noon + 2 * second));
	pass(1);
	assert.equal((await look()).gte, "");
	assert.equal((await look()).gte, toTimestamp(noon + 29 * second));
});

test("the look after one that did not deal with everything is at everything", async () => {
	const { look, pass, turnOff } = setUp();
	await look();
	for (const outcome of [false, new Error("the storage is away")]) {
		pass(1);
		assert.notEqual((await look(outcome)).gte, "");
		assert.equal((await look()).gte, "");
		assert.notEqual((await look()).gte, "");
	}
	turnOff(true);
	assert.equal((await look()).lt, "");
	turnOff(false);
	assert.equal((await look()).gte, "");
});

withCluster("what was left of executions and events is looked for where the last look ended", createCounts, async ({ startNode }) => {
	const begun = new Map<unknown, Set<string>>();
	await startNode({
		lease: 0.6,
		onCall(method, [kind, query]) {
			const { where } = (query ?? {}) as {
				readonly where?: { readonly lease_expires_at?: Partial<ExpiredLeaseCondition["lease_expires_at"]> };
			};
			const { gte, lt } = where?.lease_expires_at ?? {};
			if (method === "find" && lt !== undefined) begun.set(kind, (begun.get(kind) ?? new Set()).add(gte ?? ""));
		},
	});
	for (const kind of ["execution", "trigger_instance"])
		await until(`${kind}: looks begin at the beginning, and later`, 10, () => {
			const from = begun.get(kind) ?? new Set();
			return (from.has("") && from.size > 1) || undefined;
		});
});

test.run();
