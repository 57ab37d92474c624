import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ExecutionEntity, Query, Storage } from "../contract/index.ts";
import { startEngine } from "../testing/engine/engine.test-support.ts";
import { DescendantTree, descendantsByStart } from "./descendants.ts";
import type { Descendant } from "./executions/executions-api.ts";

/** Numbers of the parents of executions 1, 2, …; 0 is the root. */
type Tree = readonly number[];

const toId = (index: number) => String(index).padStart(24, "a");
const everything = Number.POSITIVE_INFINITY;

/** Stores a tree, and counts the queries and the records that reading it takes. */
async function withTree(tree: Tree, run: (storage: Storage, reads: { queries: number; records: number }) => Promise<void>): Promise<void> {
	const node = await startEngine();
	try {
		const made = await node.settled((await node.submit()).id);
		const entities = tree.map(
			(parent, index): ExecutionEntity => ({
				...made,
				id: toId(index + 1),
				liveaction_id: toId(index + 1),
				parent_id: toId(parent),
				start_timestamp: `2030-01-01T00:00:00.${String(index).padStart(6, "0")}Z`,
			}),
		);
		for (let from = 0; from < entities.length; from += 500) await node.storage.insert("execution", entities.slice(from, from + 500));
		const reads = { queries: 0, records: 0 };
		const find = async (kind: "execution", query: Query<ExecutionEntity>) => {
			const found = await node.storage.find(kind, query);
			reads.queries += 1;
			reads.records += found.length;
			return found;
		};
		const counted = new Proxy(node.storage, { get: (target, name) => (name === "find" ? find : Reflect.get(target, name).bind(target)) });
		await run(counted, reads);
	} finally {
		await node.stop();
	}
}

async function take(descendants: AsyncIterable<Descendant>, limit = everything): Promise<readonly number[]> {
	const indexes: number[] = [];
	for await (const { id } of descendants) {
		indexes.push(Number(id.replaceAll("a", "")));
		if (indexes.length === limit) break;
	}
	return indexes;
}

/** Numbers of the descendants, each followed by its own. */
function depthFirst(tree: Tree, levels = everything, root = 0): readonly number[] {
	if (levels === 0) return [];
	return tree.flatMap((parent, index) => (parent === root ? [index + 1, ...depthFirst(tree, levels - 1, index + 1)] : []));
}

function levelOf(tree: Tree, number: number): number {
	return number === 0 ? 0 : 1 + levelOf(tree, tree[number - 1] as number);
}

const children = (parent: number, count: number): Tree => Array.from({ length: count }, () => parent);

const trees: Readonly<Record<string, Tree>> = {
	"no descendants": [],
	"a chain": Array.from({ length: 40 }, (_, index) => index),
	"many siblings of which some have children": [...children(0, 1_300), ...children(1, 3), ...children(700, 2), ...children(1_302, 2)],
	"workflows with many children each": [...children(0, 4), ...children(2, 1_100), ...children(3, 600), ...children(4, 600)],
	"a tree at random": Array.from({ length: 800 }, (_, index) => (index * 7_919) % (Math.floor(index / 3) + 1)),
};

for (const [name, tree] of Object.entries(trees)) {
	test(`the descendants of ${name} are read in their order, down to any depth`, () =>
		withTree(tree, async (storage) => {
			for (const levels of [1, 2, everything]) {
				const within = tree.map((_, index) => index + 1).filter((number) => levelOf(tree, number) <= levels);
				assert.deepEqual(await take(new DescendantTree(storage, toId(0), levels)), depthFirst(tree, levels));
				assert.deepEqual(await take(descendantsByStart(storage, toId(0), levels)), within);
			}
		}));
}

const workflows = 200;
/** 200 workflows with 50 tasks each. */
const wide: Tree = [...children(0, workflows), ...Array.from({ length: 10_000 }, (_, index) => 1 + (index % workflows))];

test("the first descendants of thousands are read without the others", () =>
	withTree(wide, async (storage, reads) => {
		assert.deepEqual(await take(new DescendantTree(storage, toId(0), everything), 3), [1, workflows + 1, 2 * workflows + 1]);
		assert.ok(reads.records < 6_000, `${reads.records} records`);
		reads.records = 0;
		assert.deepEqual(await take(descendantsByStart(storage, toId(0), everything), 3), [1, 2, 3]);
		assert.ok(reads.records < 3_000, `${reads.records} records`);
	}));

test("the children of hundreds of executions are read with a few queries", () =>
	withTree([...children(0, 500), ...Array.from({ length: 500 }, (_, index) => index + 1)], async (storage, reads) => {
		assert.equal((await take(new DescendantTree(storage, toId(0), everything))).length, 1_000);
		assert.ok(reads.queries < 10, `${reads.queries} queries`);
	}));

test.run();
