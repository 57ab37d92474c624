import * as assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "uvu";
import type { EntityKind, EntityMap, ExecutionEntity, Order, Storage, Where } from "../../core/contract/index.ts";
import { createTestDatabase, postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { createExecution } from "../../core/testing/storage/fixtures.ts";
import { knexStorage } from "./index.ts";
import { toContext, withDirectory } from "./storage-context.test-support.ts";

const newestFirst: readonly Order<ExecutionEntity>[] = [
	["start_timestamp", "desc"],
	["action_ref", "asc"],
];

/** Executions of which many began at the same time, and a quarter at one. */
const executions = Array.from({ length: 800 }, (_, index) => {
	const minutes = index % 4 === 3 ? "30" : String(Math.floor((index * 7) % 60)).padStart(2, "0");
	const began = { start_timestamp: `2030-01-02T03:${minutes}:00.000000Z`, action_ref: `pack.${index % 3}` };
	const rule_name = index % 4 === 0 ? `${index % 3}` : null;
	return createExecution({ ...began, rule_name, user: `${index % 2}`, status: index % 5 === 0 ? "failed" : "succeeded" });
});

const wheres: readonly Where<ExecutionEntity>[] = [
	{},
	{ user: "1" },
	{ user: "1", status: "succeeded" },
	{ parent_id: null },
	{ rule_name: null },
	{ rule_name: null, parent_id: null, start_timestamp: { gte: "2030-01-02T03:10:00.000000Z" } },
	{ rule_name: null, status: "succeeded" },
	{ start_timestamp: { gte: "2030-01-02T03:10:00.000000Z" } },
	{ user: { in: ["0", "1"] } },
	{ user: { not: "0" }, runner_name: { not: "none" } },
];

/** Traces that began when the executions did. */
const traces = executions.map(({ id, start_timestamp }, index) => ({
	...{ id, trace_tag: `tag ${index % 3}`, start_timestamp, traceparent: null },
}));

interface Lists<K extends EntityKind> {
	readonly kind: K;
	readonly wheres: readonly Where<EntityMap[K]>[];
	readonly orders: readonly (readonly Order<EntityMap[K]>[])[];
}

/** Late pages hold what a list of everything has in their place. */
async function assertLatePages<K extends EntityKind>(storage: Storage, { kind, wheres, orders }: Lists<K>): Promise<void> {
	const fields = ["id"] as const;
	for (const where of wheres) {
		for (const orderBy of orders) {
			const all = (await storage.find(kind, { where, orderBy, fields })).map(({ id }) => id);
			for (const offset of [100, 101, 137, 200, 239, all.length - 5, all.length, 1_000]) {
				const page = await storage.find(kind, { where, orderBy, limit: 11, offset, fields });
				const name = JSON.stringify({ kind, where, orderBy, offset });
				assert.deepEqual(
					page.map(({ id }) => id),
					all.slice(offset, offset + 11),
					name,
				);
			}
		}
	}
}

async function assertPages(storage: Storage): Promise<void> {
	await storage.insert("execution", executions);
	await storage.insert("trace", traces);
	await assertLatePages(storage, { kind: "execution", wheres, orders: [newestFirst, [["start_timestamp", "asc"]]] });
	const tagged = [{}, { trace_tag: "tag 1" }, { trace_tag: { in: ["tag 0", "tag 1"] } }];
	const first = ["trace_tag", "asc"] as const;
	await assertLatePages(storage, {
		kind: "trace",
		wheres: tagged,
		orders: [
			[["start_timestamp", "desc"], first],
			[["start_timestamp", "asc"], first],
		],
	});
}

test("late pages are found without gap or repeat, among equals too", () =>
	withDirectory(async (directory) => {
		const storage = knexStorage({ client: "sqlite", file: join(directory, "svc.db") }).create();
		try {
			await storage.start?.(toContext(directory));
			await assertPages(storage);
		} finally {
			await storage.stop?.();
		}
	}));

postgresTest(test)("so they are on PostgreSQL", async () => {
	const database = await createTestDatabase();
	const storage = knexStorage({ client: "postgres", url: database.url }).create();
	try {
		await storage.start?.(toContext("/nowhere"));
		await assertPages(storage);
	} finally {
		await storage.stop?.();
		await database.drop();
	}
});

test.run();
