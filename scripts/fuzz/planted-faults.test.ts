// test-timeout: 900
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { describe } from "./describe.ts";
import { toText } from "./json-tree.ts";
import { type Finding, type FuzzOptions, runFuzz } from "./run-fuzz.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** The first finding with a planted fault. */
async function findPlanted(planted: string, options: Partial<FuzzOptions> = {}): Promise<Finding | undefined> {
	const limits = { seed: 1, requests: 180, seconds: 150, shrinkSeconds: 60, most: 1 };
	const [finding] = await runFuzz({ ...limits, planted, print, ...options });
	if (finding !== undefined) print(describe(finding));
	return finding;
}

// Each of the following plants a fault in the storage: what does not find it would not find that of anybody else.

test("an answer of 500 is found, and reduced to what causes it", async () => {
	const finding = await findPlanted("error", { requests: 900 });
	assert.deepEqual([finding?.problem.kind, finding?.isSeenAgain], ["error", true]);
	const [request, ...others] = finding?.requests ?? [];
	assert.deepEqual([request?.method, request?.path.split("?")[0], others.length], ["POST", "/v1/actions", 0]);
	// Without its pack another action may have the name already.
	assert.match(toText(request?.tree ?? null), /^\{"name":"\w+",(?:"pack":"\w+",)?"runner_type":"[\w-]+","tags":\[\{.{0,25}\}\]\}$/);
});

test("what is stored and then holds up everybody who reads it is found, with the request that stored it", async () => {
	// Each try of fewer requests takes as long as the stall.
	const finding = await findPlanted("stall", { requests: 600, shrinkSeconds: 60 });
	// On a machine with much to do it shows as the one or the other.
	assert.match(`${finding?.problem.kind} ${finding?.isSeenAgain}`, /^(?:stall|hang) true$/);
	assert.ok(finding?.requests.some(({ method, path }) => method === "PUT" && path.startsWith("/v1/keys")));
});

test("the end of the process is found, by an error and by a promise that nobody awaits", async () => {
	for (const planted of ["crash", "rejection"]) {
		// With this seed one of the first makes a rule; with more routes it may be a later one.
		const finding = await findPlanted(planted, { seed: 2, requests: 900, shrinkSeconds: 10 });
		assert.equal(finding?.problem.kind, "crash");
		assert.match(finding?.problem.detail ?? "", /planted/);
		assert.ok(finding?.requests.some(({ path }) => path.startsWith("/v1/rules")));
	}
});

test("files that stay open, and records that no start survives, are found", async () => {
	assert.equal((await findPlanted("leak"))?.problem.kind, "handles");
	assert.equal((await findPlanted("restart", { requests: 60 }))?.problem.kind, "restart");
});

test.run();
