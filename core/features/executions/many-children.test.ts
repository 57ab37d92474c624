// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { assertNoStall } from "../../testing/http/loop-watch.test-support.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "../../testing/http/service.test-support.ts";

/** Answering so many in one piece would block the event loop. */
const manyChildren = 5_000;

/** An execution with many children, of which the first has two of its own. */
async function addChildren({ storage, speak }: ServiceUnderTest, count: number): Promise<string> {
	const id = await speak({ lines: ["x"] });
	let parent = await storage().get("execution", id);
	while (parent?.end_timestamp == null) parent = await storage().get("execution", id);
	const made = parent;
	const toId = (index: number) => `${id.slice(0, 8)}${String(index).padStart(16, "0")}`;
	const child = (index: number, parent_id: string) => ({
		...made,
		id: toId(index),
		liveaction_id: toId(index),
		parent_id,
		start_timestamp: `2030-01-01T00:00:00.${String(index).padStart(6, "0")}Z`,
	});
	for (let from = 0; from < count; from += 500) {
		await storage().insert(
			"execution",
			Array.from({ length: Math.min(500, count - from) }, (_, index) => child(from + index, id)),
		);
	}
	await storage().insert("execution", [child(count, toId(0)), child(count + 1, toId(0))]);
	return id;
}

test("children are given by pages, and all of them piece by piece without holding up others", () =>
	withService(async (service) => {
		const { ask } = service;
		const count = manyChildren;
		const id = await addChildren(service, count);
		const read = async (query: string) => {
			const response = await ask(`/v1/executions/${id}/children${query}`);
			assert.equal(response.status, 200);
			return { records: (await response.json()) as readonly WireRecord[], headers: response.headers };
		};
		const indexes = (records: readonly WireRecord[]) => records.map((record) => Number(String(record["id"]).slice(8)));
		const first = await read("?limit=4");
		assert.deepEqual(indexes(first.records), [0, count, count + 1, 1]);
		assert.deepEqual([first.headers.get("x-total-count"), first.headers.get("x-limit")], [String(count + 2), "4"]);
		assert.deepEqual(indexes((await read("?limit=3&offset=2&result_fmt=sorted")).records), [2, 3, 4]);
		assert.deepEqual(indexes((await read(`?limit=5&offset=${count - 1}&depth=1`)).records), [count - 1]);
		// Not parsed here: that would hold up the loop of this process.
		const readAll = async () => {
			const response = await ask(`/v1/executions/${id}/children`);
			let text = "";
			for await (const piece of response.body ?? []) text += Buffer.from(piece).toString("latin1");
			return { text, total: response.headers.get("x-total-count") };
		};
		const all = await assertNoStall(service, readAll, { mayRetry: false });
		assert.deepEqual([all.text.match(/"web_url":/g)?.length, all.text.at(-1), all.total], [count + 2, "]", String(count + 2)]);
		assert.equal((await ask(`/v1/executions/${id}/children?limit=0`)).status, 400);
	}));

test("a page of children counts no further than the limit of exact totals, and tells that there are more", () =>
	withService(
		async (service) => {
			const count = 500;
			const id = await addChildren(service, count);
			const heads = async (query: string) => {
				const { headers } = await service.ask(`/v1/executions/${id}/children${query}`);
				return [headers.get("x-total-count"), headers.get("x-total-count-exact")];
			};
			assert.deepEqual(await heads("?limit=4"), ["100", "false"]);
			assert.deepEqual(await heads("?limit=4&result_fmt=sorted"), ["100", "false"]);
			assert.deepEqual(await heads("?limit=4&offset=300"), ["304", "false"]);
			assert.deepEqual(await heads(`?limit=4&offset=${count}`), [String(count + 2), null]);
		},
		{ api: { exact_total_limit: 100 } },
	));

test("an execution is shown with the ids of a thousand children, in a list too", () =>
	withService(async (service) => {
		const id = await addChildren(service, 1_001);
		const one = (await (await service.ask(`/v1/executions/${id}`)).json()) as { children: string[] };
		assert.equal(one.children.length, 1_000);
		const list = (await (await service.ask("/v1/executions?limit=100&sort_asc=timestamp")).json()) as WireRecord[];
		const counts = list.map((record) => (record["children"] as string[] | undefined)?.length ?? 0);
		assert.ok(counts.includes(1_000) || counts.includes(2), String(counts));
	}));

test.run();
