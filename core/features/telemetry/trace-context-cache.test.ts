import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { Storage, TraceEntity } from "../../contract/index.ts";
import { TraceContextCache } from "./trace-context-cache.ts";

const toId = (number: number) => number.toString(16).padStart(24, "0");
const remote = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/** Contexts over a storage that has every trace, and tells what it is asked for. */
function createContexts() {
	const asked: string[][] = [];
	const find = async (_kind: string, { where }: { readonly where: { readonly id: { readonly in: string[] } } }) => {
		asked.push(where.id.in);
		return where.id.in.map((id) => ({ id, traceparent: remote }) as TraceEntity);
	};
	return { asked, contexts: new TraceContextCache({ find } as unknown as Storage, () => true) };
}

test("what was asked for lately is kept, what was not is forgotten, and is read again", async () => {
	const { contexts, asked } = createContexts();
	const learn = (from: number, to: number) => {
		for (let number = from; number < to; number += 1) contexts.learn({ id: toId(number), traceparent: null });
	};
	learn(0, 6_000);
	assert.ok(contexts.known(toId(0)) !== undefined, "of the generation before");
	learn(6_000, 14_000);
	assert.equal(contexts.known(toId(1)), undefined);
	assert.ok(contexts.known(toId(0)) !== undefined);
	learn(14_000, 26_000);
	assert.equal(contexts.known(toId(0)), undefined);
	const read = await contexts.read([toId(0), toId(25_999)]);
	assert.deepEqual(asked, [[toId(0)]]);
	assert.equal(read.get(toId(0))?.remote?.spanId, "00f067aa0ba902b7");
	assert.equal(read.get(toId(25_999))?.remote, undefined);
});

test("however many are read at once, all are there", async () => {
	const { contexts } = createContexts();
	const ids = Array.from({ length: 12_000 }, (_, number) => toId(number));
	for (const id of ids.slice(0, 4_000)) contexts.learn({ id, traceparent: null });
	assert.equal((await contexts.read(ids)).size, ids.length);
});

test.run();
