import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { Storage } from "../../contract/index.ts";
import { ActionCatalog, noPackContent } from "./action-catalog.ts";

/** A storage whose reads are answered when the test says so, with what was stored when they were asked. */
class SlowReads {
	stored: object[] = [];
	readonly #asked: { readonly answer: (rows: object[]) => void; readonly rows: object[] }[] = [];
	readonly storage = {
		capabilities: { shared: false },
		find: () => new Promise<object[]>((answer) => this.#asked.push({ answer, rows: this.stored })),
	} as unknown as Storage;

	/** How many reads are answered by this. */
	answer(): number {
		const asked = this.#asked.splice(0);
		for (const { answer, rows } of asked) answer(rows);
		return asked.length;
	}
}

function createCatalog(reads: SlowReads): ActionCatalog {
	let forget = () => {};
	const changes = {
		onChange(listener: () => void) {
			forget = listener;
		},
		announceChange: () => forget(),
	};
	const logger = { debug() {}, info() {}, warn() {}, error() {} };
	return new ActionCatalog({ storage: reads.storage, clock: { now: () => 0 }, logger, changes, content: noPackContent } as never);
}

for (const [what, stored, changed, ask] of [
	["a runner type is enabled", [{ enabled: true }, { enabled: false }], [true, false], "isRunnerEnabled"],
	["the directory of a pack", [{ path: "/old" }, { path: "/new" }], ["/old", "/new"], "packDirectory"],
] as const) {
	test(`of many who ask for ${what} one reads, and what was read before a change is not kept`, async () => {
		const reads = new SlowReads();
		const catalog = createCatalog(reads);
		reads.stored = [stored[0]];
		const before = Array.from({ length: 20 }, () => catalog[ask]("some"));
		reads.stored = [stored[1]];
		catalog.invalidate();
		const after = Array.from({ length: 20 }, () => catalog[ask]("some"));
		assert.equal(reads.answer(), 2);
		assert.deepEqual([...new Set(await Promise.all(before))], [changed[0]]);
		assert.deepEqual([...new Set(await Promise.all(after))], [changed[1]]);
		assert.equal(await catalog[ask]("some"), changed[1]);
		assert.equal(reads.answer(), 0);
	});
}

test("what could not be read is read again", async () => {
	let fails = true;
	const storage = {
		capabilities: {},
		find: async () => {
			if (fails) throw new Error("away");
			return [{ enabled: true }];
		},
	} as unknown as Storage;
	const catalog = createCatalog({ storage } as SlowReads);
	await assert.rejects(catalog.isRunnerEnabled("some"), /away/);
	fails = false;
	assert.equal(await catalog.isRunnerEnabled("some"), true);
});

test.run();
