import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type KitResult, runKit } from "./run-kit.ts";

const never = () => new Promise<void>(() => {});

test("a kit runs its tests one after the other and tells how each came out", async () => {
	const order: string[] = [];
	const seen: KitResult[] = [];
	const results = await runKit(
		(check) => {
			check("holds", async () => void order.push("holds"));
			check("breaks", async () => assert.equal(1, 2));
			check("throws nothing", async () => Promise.reject());
			check("hangs", never);
			check("is left out", async () => void order.push("is left out"));
			check("comes last", async () => void order.push("comes last"));
		},
		{ timeout: 50, only: (name) => name !== "is left out", onResult: (result) => seen.push(result) },
	);
	assert.deepEqual(order, ["holds", "comes last"]);
	assert.deepEqual(
		results.map(({ name, error }) => [name, error instanceof Error ? error.message.split("\n")[0] : error]),
		[
			["holds", undefined],
			["breaks", "Expected values to be strictly equal:"],
			["throws nothing", "rejected without a reason"],
			["hangs", "it had not ended after 50 ms"],
			["comes last", undefined],
		],
	);
	assert.deepEqual(seen, results);
});

test.run();
