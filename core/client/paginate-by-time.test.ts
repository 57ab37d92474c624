import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ListPage, ListQuery } from "./page.ts";
import { paginateByTime } from "./paginate-by-time.ts";

interface Item {
	readonly id: string;
	readonly at: string;
}

/** A list as the service has it. */
class Listed {
	items: Item[] = [];
	exactTotal = 1_000;
	/** Called before each page but the first. */
	onPage = () => {};
	readonly asked: ListQuery[] = [];

	readonly list = async (query: ListQuery): Promise<ListPage<Item>> => {
		if (this.asked.length > 0) this.onPage();
		this.asked.push(query);
		const { sort, limit = 4, offset = 0, timestamp_lt = "~", timestamp_gt = "" } = query;
		const matching = this.items.filter(({ at }) => at < String(timestamp_lt) && at > String(timestamp_gt));
		const sorted = matching.sort((a, b) => (a.at + a.id < b.at + b.id ? -1 : 1));
		if (sort === "-timestamp") sorted.reverse();
		const items = sorted.slice(Number(offset), Number(offset) + Number(limit));
		return {
			...{ items, limit: Number(limit), total: Math.min(sorted.length, this.exactTotal) },
			...(sorted.length > this.exactTotal && { hasMore: true }),
		};
	};

	async walk(oldestFirst = false, query: ListQuery = {}): Promise<string[]> {
		const ids: string[] = [];
		for await (const { id } of paginateByTime<Item>({ list: this.list, query, time: "at", oldestFirst })) ids.push(id);
		return ids;
	}
}

/** Around a change of the second, the minute and the year, and more at one time than a page holds. */
const times = [
	"2030-12-31T23:59:58.000000Z",
	"2030-12-31T23:59:59.000001Z",
	...Array.from({ length: 11 }, () => "2030-12-31T23:59:59.999999Z"),
	...Array.from({ length: 5 }, () => "2031-01-01T00:00:00.000000Z"),
	"2031-01-01T00:00:00.000001Z",
	"2031-01-01T00:00:00.000002Z",
];

function listed(): Listed {
	const all = new Listed();
	all.items = times.map((at, index) => ({ id: String(index).padStart(2, "0"), at }));
	return all;
}

test("a walk gives everything once and in order, also where more have the same time than a page holds", async () => {
	for (const limit of [1, 2, 3, 4, 7, 19, 20, 21, 100]) {
		const ids = listed().items.map(({ id }) => id);
		assert.deepEqual(await listed().walk(true, { limit }), ids, `${limit} at a time`);
		assert.deepEqual(await listed().walk(false, { limit }), ids.reverse(), `${limit} at a time, newest first`);
	}
});

test("what is added and removed meanwhile moves nothing past a walk", async () => {
	const all = listed();
	const ids = all.items.map(({ id }) => id).reverse();
	let added = 0;
	all.onPage = () => {
		all.items.push({ id: `new ${added++}`, at: `2031-01-02T00:00:00.00000${added}Z` });
		all.items = all.items.filter(({ id }) => id !== "00");
	};
	assert.deepEqual(await all.walk(), ids.slice(0, -1));
});

test("a walk goes on where the service does not count all of it, and begins each page at a time, not behind so many", async () => {
	const all = listed();
	all.exactTotal = 2;
	all.items = all.items.map((item, index) => ({ ...item, at: `2031-01-01T00:00:${String(index).padStart(2, "0")}.000000Z` }));
	assert.equal((await all.walk()).length, times.length);
	assert.ok(all.asked.every(({ offset }) => offset === 0));
});

test("a walk asks for the time where it may choose, and refuses an order of somebody else", async () => {
	const all = listed();
	await all.walk(false, { include_attributes: "id,status" });
	assert.equal(all.asked[0]?.["include_attributes"], "id,status,at");
	for (const query of [{ sort: "id" }, { offset: 3 }, { exclude_attributes: "result,at" }])
		await assert.rejects(all.walk(false, query), TypeError);
});

test.run();
