import * as assert from "node:assert/strict";
import { test } from "uvu";
import { startEngine } from "../../testing/engine/engine.test-support.ts";
import { readJournal } from "./read-journal.ts";

test("a long journal is read whole, page by page, in the order of its entries", async () => {
	const node = await startEngine();
	try {
		const execution_id = "a".repeat(24);
		const entries = Array.from({ length: 1_000 }, (_, index) => ({
			id: String(index).padStart(24, "0"),
			execution_id,
			sequence: index + 1,
			timestamp: "2030-01-01T00:00:00.000000Z",
			entry: { index },
		}));
		await node.storage.insert("journal_entry", entries);
		let largest = 0;
		const storage = new Proxy(node.storage, {
			get: (target, name) => async (kind: "journal_entry", query: object) => {
				assert.equal(name, "find");
				const found = await target.find(kind, query);
				largest = Math.max(largest, found.length);
				return found;
			},
		});
		assert.deepEqual(
			(await readJournal(storage, execution_id)).map((entry) => entry["index"]),
			entries.map(({ entry }) => entry.index),
		);
		assert.equal(largest, 500);
	} finally {
		await node.stop();
	}
});

test.run();
