import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { readPage, readPageOf } from "./page.ts";

/** Five traces, and every count that is asked for. */
async function createTraces() {
	const storage = memoryStorage().create();
	const times = ["1", "2", "3", "4", "5"];
	await storage.insert(
		"trace",
		times.map((digit) => ({
			id: digit.repeat(24),
			trace_tag: "a",
			start_timestamp: `2030-01-0${digit}T00:00:00.000000Z`,
			traceparent: null,
		})),
	);
	const limits: (number | undefined)[] = [];
	const count: typeof storage.count = (kind, where, limit) => {
		limits.push(limit);
		return storage.count(kind, where, limit);
	};
	return { storage: { find: storage.find.bind(storage), count }, limits };
}

test("a page that is not full tells the total without a count", async () => {
	const { storage, limits } = await createTraces();
	for (const paging of [{}, { limit: 6 }, { limit: 3, offset: 3 }, { offset: 4 }]) {
		assert.equal((await readPage(storage, "trace", paging)).total, 5, JSON.stringify(paging));
	}
	assert.equal((await readPage(storage, "trace", { where: { trace_tag: "b" }, limit: 1 })).total, 0);
	assert.deepEqual(limits, []);
});

test("a page that is full, or lies behind the last record, is counted, no further than the total has to be exact", async () => {
	const { storage, limits } = await createTraces();
	assert.equal((await readPage(storage, "trace", { limit: 5 })).total, 5);
	assert.equal((await readPage(storage, "trace", { limit: 5, offset: 5 })).total, 5);
	assert.equal((await readPage(storage, "trace", { limit: 1, exactTotal: 5 })).total, 5);
	assert.equal((await readPage(storage, "trace", { limit: 1, exactTotal: 2 })).total, 3);
	assert.deepEqual(limits, [undefined, undefined, 6, 3]);
	// What has been passed over is more than is counted.
	assert.equal((await readPage(storage, "trace", { limit: 1, offset: 2, exactTotal: 2 })).total, 3);
	assert.equal((await readPage(storage, "trace", { limit: 1, offset: 1, exactTotal: 2 })).total, 3);
	assert.equal((await readPage(storage, "trace", { limit: 1, offset: 9, exactTotal: 2 })).total, 3);
	assert.deepEqual(limits.slice(4), [3, 3]);
});

test("what is made of the records of a page is made while the others are counted", async () => {
	const { storage } = await createTraces();
	let isCounted = () => {};
	const counted = new Promise<void>((resolve) => (isCounted = resolve));
	const slow = {
		...storage,
		count: async (...given: Parameters<typeof storage.count>) => {
			await counted;
			return storage.count(...given);
		},
	};
	const page = await readPageOf(slow, "trace", { limit: 2 }, async (traces) => {
		isCounted();
		return traces.map(({ id }) => id);
	});
	assert.deepEqual(page, { items: ["1".repeat(24), "2".repeat(24)], total: 5 });
});

test.run();
