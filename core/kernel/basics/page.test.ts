import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import type { Storage } from "../../contract/index.ts";
import { type ListCursor, listStart, type Paging, readMappedPage, readPage } from "./pagination.ts";

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
	// What has been passed over is more than is counted, and that there are more is remembered.
	assert.equal((await readPage(storage, "trace", { limit: 1, offset: 2, exactTotal: 2 })).total, 3);
	assert.equal((await readPage(storage, "trace", { limit: 1, offset: 1, exactTotal: 2 })).total, 3);
	assert.equal((await readPage(storage, "trace", { limit: 1, offset: 9, exactTotal: 2 })).total, 3);
	assert.deepEqual(limits.slice(4), [3]);
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
	const page = await readMappedPage(slow, "trace", { limit: 2 }, async (traces) => {
		isCounted();
		return traces.map(({ id }) => id);
	});
	assert.deepEqual(page, { items: ["1".repeat(24), "2".repeat(24)], total: 5 });
});

/** Many of one moment among others, and what a walk gives of them, five at a time; `meanwhile` is done after each page. */
async function walkTraces(query: Parameters<typeof readPage<"trace">>[2], meanwhile: (storage: Storage, page: number) => Promise<void>) {
	const storage = memoryStorage().create();
	await storage.insert(
		"trace",
		Array.from({ length: 30 }, (_, index) => toTrace(index, Math.max(10, index))),
	);
	const { items: all } = await readPage(storage, "trace", query);
	const walked: string[] = [];
	const totals = new Set<number>();
	let after: ListCursor | undefined = listStart;
	for (let page = 1; after !== undefined; page += 1) {
		const paging: Paging = { limit: 5, after };
		const { items, total, next } = await readPage(storage, "trace", { ...query, ...paging });
		walked.push(...items.map(({ id }) => id));
		totals.add(total);
		await meanwhile(storage, page);
		after = next;
	}
	return { walked, all: all.map(({ id }) => id), totals: [...totals] };
}

const toTrace = (index: number, second: number) => ({
	id: String(index).padStart(24, "0"),
	trace_tag: `tag ${index % 7}`,
	start_timestamp: `2030-01-01T00:00:${second}.000000Z`,
	traceparent: null,
});

test("a walk gives all there is in its order, each once, and tells how much there is", async () => {
	for (const query of [
		{ orderBy: [["start_timestamp", "desc"]] },
		{ orderBy: [["start_timestamp", "asc"]] },
		{ orderBy: [["trace_tag", "desc"]] },
		{ where: { start_timestamp: { gt: "2030-01-01T00:00:10.000000Z" } }, orderBy: [["start_timestamp", "desc"]] },
		{ where: { start_timestamp: { lt: "2030-01-01T00:00:22.000000Z" } }, orderBy: [["start_timestamp", "asc"]] },
		{ where: { id: { in: [3, 5, 7, 9, 11, 13].map((index) => toTrace(index, 10).id) } } },
		{ offset: 7 },
	] as const) {
		const { walked, all, totals } = await walkTraces(query, async () => {});
		assert.deepEqual(walked, all, JSON.stringify(query));
		assert.deepEqual(totals, [all.length + ("offset" in query ? query.offset : 0)]);
	}
});

test("what begins and is removed while a list is walked through moves nothing past the reader", async () => {
	const { walked, all } = await walkTraces({ orderBy: [["start_timestamp", "desc"]] }, async (storage, page) => {
		for (let index = 0; index < 3; index += 1) await storage.insert("trace", [toTrace(100 * page + index, 50)]);
		if (page === 2) await storage.write([{ remove: "trace", where: { id: { in: [28, 29].map((index) => toTrace(index, 10).id) } } }]);
	});
	assert.deepEqual(walked, all);
});

test.run();
