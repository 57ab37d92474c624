import * as assert from "node:assert/strict";
import type { Check } from "./check.ts";
import { createExecution, idsOf } from "./fixtures.ts";

/** Registers the tests of `claim`. */
export function checkClaims(check: Check): void {
	check("claim patches the first by the given order and returns them in it", async (storage) => {
		const due = [5, 3, 8, 1, 9, 2].map((minute) => createExecution({ due_timestamp: `2030-01-02T03:0${minute}:00.000000Z` }));
		await storage.insert("execution", due);
		const query = { where: { status: "requested" }, orderBy: [["due_timestamp", "asc"]], limit: 3 } as const;
		const claimed = await storage.claim("execution", query, { status: "scheduled", owner: "node" });
		assert.deepEqual(idsOf(claimed), idsOf([3, 5, 1].flatMap((index) => due.slice(index, index + 1))));
		for (const execution of claimed) assert.deepEqual([execution.status, execution.owner], ["scheduled", "node"]);
		assert.deepEqual(await storage.get("execution", claimed[0]?.id ?? ""), claimed[0]);
		assert.equal(await storage.count("execution", { status: "requested" }), 3);
	});

	check("claim keeps the previous order if the patch changes the ordering field", async (storage) => {
		const executions = [3, 1, 2].map((delay) => createExecution({ delay }));
		await storage.insert("execution", executions);
		const query = { where: {}, orderBy: [["delay", "desc"]], limit: 3 } as const;
		const claimed = await storage.claim("execution", query, { delay: 0 });
		assert.deepEqual(idsOf(claimed), idsOf([0, 2, 1].flatMap((index) => executions.slice(index, index + 1))));
	});

	check("claim without an order takes the smallest ids", async (storage) => {
		const executions = Array.from({ length: 5 }, () => createExecution());
		await storage.insert("execution", [...executions].reverse());
		const claimed = await storage.claim("execution", { where: { status: "requested" }, limit: 2 }, { status: "scheduled" });
		assert.deepEqual(idsOf(claimed), idsOf(executions.slice(0, 2)));
	});

	check("claim returns nothing if no entity matches", async (storage) => {
		await storage.insert("execution", [createExecution({ status: "running" })]);
		assert.deepEqual(await storage.claim("execution", { where: { status: "requested" }, limit: 5 }, { status: "scheduled" }), []);
		assert.deepEqual(await storage.claim("execution", { where: { status: "running" }, limit: 0 }, { status: "failed" }), []);
		assert.equal(await storage.count("execution", { status: "running" }), 1);
	});

	check("parallel claimers never get the same entity and together get all", async (storage) => {
		const executions = Array.from({ length: 100 }, () => createExecution());
		await storage.insert("execution", executions);
		const claims = Array.from({ length: 25 }, (_, index) =>
			storage.claim(
				"execution",
				{ where: { status: "requested", owner: null }, limit: 7 },
				{ status: "scheduled", owner: `node-${index}` },
			),
		);
		const claimed = (await Promise.all(claims)).flat();
		assert.deepEqual(idsOf(claimed).sort(), idsOf(executions));
		for (const { id, owner } of claimed) assert.equal((await storage.get("execution", id))?.owner, owner);
	});
}
