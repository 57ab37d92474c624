import * as assert from "node:assert/strict";
import { mock } from "node:test";
import { test } from "uvu";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { readPage } from "./pagination.ts";

/** Three traces of one name and one of another, and how often they were counted. */
async function createTraces() {
	const storage = memoryStorage().create();
	await storage.insert(
		"trace",
		["a", "a", "a", "b"].map((tag, index) => ({
			id: String(index).repeat(24),
			trace_tag: tag,
			start_timestamp: `2030-01-01T00:00:0${index}.000000Z`,
			traceparent: null,
		})),
	);
	let counts = 0;
	const count: typeof storage.count = (...given) => {
		counts += 1;
		return storage.count(...given);
	};
	return { storage, counted: { find: storage.find.bind(storage), count }, counts: () => counts };
}

/** Let so many milliseconds seem to pass while `work` goes on. */
async function later<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
	const now = performance.now();
	const time = mock.method(performance, "now", () => now + milliseconds);
	try {
		return await work();
	} finally {
		time.mock.restore();
	}
}

test("that more match than are counted is remembered for five seconds, for every page and order of the list", async () => {
	const { counted, counts } = await createTraces();
	const total = async (query: object) => (await readPage(counted, "trace", { limit: 1, exactTotal: 2, ...query })).total;
	assert.equal(await total({}), 3);
	for (const query of [{}, { offset: 1 }, { orderBy: [["start_timestamp", "desc"]] }, { limit: 2 }]) assert.equal(await total(query), 3);
	assert.equal(counts(), 1);
	assert.equal(await later(4_000, () => total({})), 3);
	assert.equal(counts(), 1);
	assert.equal(await later(6_000, () => total({})), 3);
	assert.equal(counts(), 2);
});

test("it is remembered of that filter, limit and storage only", async () => {
	const { counted, counts } = await createTraces();
	const another = await createTraces();
	const total = async (query: object, storage = counted) => (await readPage(storage, "trace", { limit: 1, exactTotal: 2, ...query })).total;
	assert.equal(await total({ where: { trace_tag: "a" } }), 3);
	assert.equal(await total({ where: { trace_tag: "b" } }), 1);
	assert.equal(await total({ where: { trace_tag: "a" }, exactTotal: 5 }), 3);
	assert.equal(counts(), 3);
	assert.equal(await total({ where: { trace_tag: "a" } }, another.counted), 3);
	assert.equal(another.counts(), 1);
});

test("what is exact is counted each time, and a page behind the last record tells that there are fewer", async () => {
	const { storage, counted, counts } = await createTraces();
	const total = async (query: object) => (await readPage(counted, "trace", { limit: 1, exactTotal: 3, ...query })).total;
	assert.equal(await total({ where: { trace_tag: "a" } }), 3);
	await storage.remove("trace", { where: { id: "0".repeat(24) } });
	assert.equal(await total({ where: { trace_tag: "a" } }), 2);
	assert.equal(await total({ exactTotal: 2 }), 3);
	await storage.remove("trace", { where: { trace_tag: "a" } });
	assert.equal(await total({ exactTotal: 2, offset: 2 }), 1);
	assert.equal(counts(), 4);
});

test("many filters, and long ones, are counted again rather than remembered", async () => {
	const { counted, counts } = await createTraces();
	const total = async (where: object) => (await readPage(counted, "trace", { limit: 1, exactTotal: 2, where })).total;
	const others = (number: number) => ({ trace_tag: { in: ["a", `other ${number}`] } });
	for (let number = 0; number < 201; number += 1) await total(others(number));
	await total(others(200));
	await total(others(1));
	assert.equal(counts(), 201);
	await total(others(0));
	assert.equal(counts(), 202);
	const long = { trace_tag: { in: ["a", "x".repeat(1_000)] } };
	await total(long);
	await total(long);
	assert.equal(counts(), 204);
});

test.run();
