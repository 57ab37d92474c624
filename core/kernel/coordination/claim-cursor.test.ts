// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createCounts, withCluster } from "../../testing/engine/policies.test-support.ts";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { fromTimestamp, toTimestamp } from "../basics/clock.ts";
import { ClaimCursor } from "./claim-cursor.ts";

const second = 1_000_000;
const noon = 1_800_000_000 * second;

test("what has been claimed is not gone through again, but for a moment before it", () => {
	const frontier = new ClaimCursor(10_000, () => 0);
	assert.deepEqual(frontier.nextWideRange(), { gte: "" });
	frontier.advanceTo(toTimestamp(noon));
	frontier.advanceTo(toTimestamp(noon - 60 * second));
	assert.deepEqual(frontier.nextWideRange(), { gte: toTimestamp(noon - 5 * second) });
});

test("now and then, and when it is asked to, it looks at everything once", () => {
	let passed = 0;
	const frontier = new ClaimCursor(10_000, () => passed);
	frontier.nextWideRange();
	frontier.advanceTo(toTimestamp(noon));
	passed = 9_999;
	assert.notEqual(frontier.nextWideRange().gte, "");
	passed = 10_000;
	assert.equal(frontier.nextWideRange().gte, "");
	assert.notEqual(frontier.nextWideRange().gte, "");
	frontier.reset();
	assert.equal(frontier.nextWideRange().gte, "");
	assert.notEqual(frontier.nextWideRange().gte, "");
});

test("a look at everything goes on where it has come to, until nothing is left", () => {
	let passed = 0;
	const frontier = new ClaimCursor(10_000, () => passed);
	frontier.nextWideRange();
	frontier.markExhausted(toTimestamp(noon));
	assert.deepEqual(frontier.nextWideRange(), { gte: toTimestamp(noon - 5 * second) });
	passed = 10_000;
	assert.equal(frontier.isFullScanDue, true);
	assert.deepEqual(frontier.nextWideRange(), { gte: "" });
	assert.equal(frontier.isFullScanDue, false);
	// Much had come in behind, of which there were places for some only.
	frontier.advanceTo(toTimestamp(noon - 900 * second));
	assert.deepEqual(frontier.nextWideRange(), { gte: toTimestamp(noon - 901 * second) });
	frontier.advanceTo(toTimestamp(noon - 800 * second));
	assert.deepEqual(frontier.nextRange(), { gte: toTimestamp(noon - 801 * second) });
	frontier.markExhausted();
	assert.deepEqual(frontier.nextWideRange(), { gte: toTimestamp(noon - 5 * second) });
});

test("what is claimed in a look at everything that fails is looked for at the beginning", () => {
	const frontier = new ClaimCursor(10_000, () => 0);
	frontier.advanceTo(toTimestamp(noon));
	assert.deepEqual(frontier.nextWideRange(), { gte: "" });
	assert.deepEqual(frontier.nextWideRange(), { gte: toTimestamp(0) });
});

test("looks that follow each other closely go back a second, and further for what is known to have come in later", () => {
	const frontier = new ClaimCursor(10_000, () => 0);
	frontier.nextRange();
	frontier.markExhausted(toTimestamp(noon));
	assert.deepEqual(frontier.nextRange(), { gte: toTimestamp(noon - second) });
	frontier.widen();
	assert.deepEqual(frontier.nextRange(), { gte: toTimestamp(noon - 5 * second) });
	// What comes first is none of those: all of them are claimed.
	frontier.advanceTo(toTimestamp(noon + second));
	assert.deepEqual(frontier.nextRange(), { gte: toTimestamp(noon) });
	frontier.noteStored(toTimestamp(noon + 2 * second));
	frontier.noteStored(toTimestamp(noon - 60 * second));
	frontier.markExhausted(toTimestamp(noon + 3 * second));
	assert.deepEqual(frontier.nextRange(), { gte: toTimestamp(noon - 61 * second) });
	frontier.markExhausted();
	assert.deepEqual(frontier.nextRange(), { gte: toTimestamp(noon + 2 * second) });
});

test("a look at everything that takes long is taken more seldom", () => {
	let passed = 0;
	const frontier = new ClaimCursor(10_000, () => passed);
	for (const [took, pause] of [
		[100, 10_000],
		[400, 20_000],
		[5_000, 60_000],
		[1, 10_000],
	] as const) {
		const begun = passed;
		assert.deepEqual(frontier.nextWideRange(), { gte: "" });
		passed += took;
		frontier.markExhausted(toTimestamp(noon));
		passed = begun + pause - 1;
		assert.equal(frontier.isFullScanDue, false, `${took} ms`);
		passed += 1;
	}
});

const counted = { action: "default.counted" };

/** Where claims of what is to be run at once begin; undefined for other calls of the storage. */
function toStart(method: string, [kind, query]: readonly unknown[]): string | undefined {
	const { where } = (query ?? {}) as { readonly where?: Record<string, unknown> };
	if (method !== "claim" || kind !== "execution" || where?.["status"] !== "requested" || where["delay"] !== null) return undefined;
	return (where["start_timestamp"] as { readonly gte: string }).gte;
}

withCluster("claims of executions begin where the last one has ended", createCounts, async ({ startNode }, counts) => {
	const asked: string[] = [];
	const node = await startNode({
		poolSize: 1,
		async onCall(method, call) {
			const from = toStart(method, call);
			if (from !== undefined) asked.push(from);
		},
	});
	await node.submit({ name: "first", hold: true }, counted);
	const submitted = [];
	for (const name of ["a", "b", "c"]) submitted.push(await node.submit({ name }, counted));
	counts.release();
	for (const { id } of submitted) await node.settled(id);
	const ahead = submitted.map(({ start_timestamp }) => toTimestamp(fromTimestamp(start_timestamp) - second));
	await until("claims begin a second before one of them", 10, () => asked.some((from) => ahead.includes(from)) || undefined);
	await until("and before what has been looked through since", 10, () => (asked.at(-1) ?? "") > (ahead.at(-1) ?? "") || undefined);
});

withCluster(
	"what is stored late is looked for: at once where this node has stored it, soon where another has",
	createCounts,
	async (cluster, counts) => {
		let hold: Promise<void> | undefined;
		let isStoring = false;
		const asked: { readonly at: number; readonly from: string }[] = [];
		const node = await cluster.startNode({
			poolSize: 1,
			async onCall(method, call) {
				const from = toStart(method, call);
				if (from !== undefined) asked.push({ at: Date.now() * 1_000, from });
				else if (method === "write" && JSON.stringify(call).includes('"late"')) {
					isStoring = true;
					await hold;
				}
			},
		});
		let open = () => {};
		hold = new Promise((resolve) => {
			open = resolve;
		});
		await node.submit({ name: "first", hold: true }, counted);
		const late = node.submit({ name: "late" }, counted);
		// Had it the slot of the first one, there would be no looks.
		await until("the late one is being stored", 10, () => isStoring || undefined);
		const begun = Date.now() * 1_000;
		counts.release();
		// Looks are past it by more than they go back for others.
		await until("looks leave it behind", 20, () => fromTimestamp(asked.at(-1)?.from || toTimestamp(0)) > begun || undefined);
		asked.length = 0;
		open();
		const { id, start_timestamp } = await late;
		await node.settled(id);
		// A look at everything, every ten seconds, would find it as well.
		const [found] = asked.filter(({ from }) => from <= start_timestamp);
		assert.ok(fromTimestamp(found?.from || toTimestamp(0)) > begun - 60 * second, "it was looked for where it is");
		const goesBack = ({ at, from }: { at: number; from: string }) => from !== "" && at - fromTimestamp(from) > 4 * second;
		await until("what others store late is looked for", 10, () => asked.slice(-20).some(goesBack) || undefined);
	},
);

test.run();
