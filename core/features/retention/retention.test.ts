import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import type { Storage, StoragePlugin } from "../../contract/index.ts";
import { getSystemClock } from "../../kernel/basics/clock.ts";
import { startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { silentLogger } from "../../testing/run-context.ts";
import { createOptions } from "../../testing/service-options.ts";
import { createTestDatabase, postgresTest } from "../../testing/services/postgres.test-support.ts";
import {
	createScene,
	daysAgo,
	toChunks,
	toDelivery,
	toEnforcement,
	toExecution,
	toInstance,
	toToken,
	toTrace,
} from "./retention.test-support.ts";

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}

test("of several nodes one collects, and another one after the first has gone", async () => {
	const { storage, createDoor } = createSharedStorage();
	const removals: number[] = [];
	const options = {
		scheduler: { lease: 0.3 },
		garbagecollector: { collection_interval: 0.05, sleep_delay: 0 },
		log: { level: "error" },
	} as const;
	const nodes: (TestEngine & { readonly door: ReturnType<typeof createDoor> })[] = [];
	for (const index of [0, 1, 2]) {
		const door = createDoor((method, [kind]) => {
			if (method === "remove" && kind === "token") removals.push(index);
		});
		nodes.push({ ...(await startEngine({ storage: door.plugin, options })), door });
	}
	try {
		const removeBy = async (ids: number) => {
			await storage.insert(
				"token",
				Array.from({ length: ids }, () => toToken(200)),
			);
			await until(async () => (await storage.count("token", {})) === 0);
		};
		await removeBy(100);
		const [duty] = await storage.find("duty", { where: { name: "garbage_collection" } });
		assert.ok(duty !== undefined);
		// The node that has the duty stands still in the middle of its work, and the others do without it.
		const first = await new Promise<number>((resolve) => {
			const watch = async () => {
				const owner = (await storage.get("duty", duty.id))?.owner;
				const index = nodes.findIndex(({ engine }) => engine.nodeId === owner);
				if (index === -1) return void setImmediate(watch);
				nodes[index]?.door.shut();
				resolve(index);
			};
			void watch();
		});
		removals.length = 0;
		await removeBy(100);
		assert.ok(removals.length > 0 && !removals.includes(first));
	} finally {
		for (const { door, stop } of nodes) {
			door.open();
			await stop();
		}
	}
});

test("a collection may be asked for before its time", async () => {
	const { storage, createDoor } = createSharedStorage();
	const { engine, stop } = await startEngine({ storage: createDoor().plugin });
	try {
		await until(async () => (await storage.find("duty", { where: { name: "garbage_collection" } }))[0]?.done_at != null);
		await storage.insert("token", [toToken(200)]);
		assert.equal(await engine.retention.collect(), true);
		assert.equal(await storage.count("token", {}), 0);
	} finally {
		await stop();
	}
});

const settings = {
	...{ purge_executions_ttl: 30, trigger_instances_ttl: 30, rule_enforcements_ttl: 30, webhook_deliveries_ttl: 30, traces_ttl: 30 },
} as const;
const ages = [1, 8, 29, 31, 400];

/** Something of each kind and age, and what is left of it. */
async function collectAll(storage: Storage): Promise<Readonly<Record<string, number>>> {
	const executions = ages.flatMap((days) => [
		toExecution("succeeded", days),
		toExecution("running", days),
		toExecution("failed", days, { parent_id: "1".repeat(24) }),
	]);
	const instances = ages.flatMap((days) => [toInstance("processed", days), toInstance("pending", days)]);
	await storage.insert("execution", executions);
	for (const { id, start_timestamp } of executions) {
		await storage.insert("output_chunk", toChunks(id, ages.find((days) => daysAgo(days) === start_timestamp) ?? 0, 3));
	}
	await storage.insert("trigger_instance", instances);
	await storage.insert(
		"rule_enforcement",
		instances.flatMap(({ id }) => [toEnforcement(id, 1), toEnforcement(id, 31)]),
	);
	await storage.insert("webhook_delivery", ages.map(toDelivery));
	await storage.insert("trace", [...ages.map(toTrace), ...executions.map(({ trace_id: id }) => ({ ...toTrace(31), id }))]);
	await storage.insert("token", [...ages, -1].map(toToken));
	await createScene(settings, storage).collect();
	const kinds = ["execution", "output_chunk", "trigger_instance", "rule_enforcement", "webhook_delivery", "trace", "token"] as const;
	return Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await storage.count(kind, {})] as const)));
}

const left = {
	...{ execution: 11, output_chunk: 3 * 7, trigger_instance: 8, rule_enforcement: 15, webhook_delivery: 3, trace: 3 + 11, token: 1 },
};

test("the same is left in memory and on SQLite", async () => {
	assert.deepEqual(await collectAll(memoryStorage().create()), left);
	await withStorage(knexStorage({ client: "sqlite" }), async (storage) => assert.deepEqual(await collectAll(storage), left));
});

postgresTest(test)("the same is left on PostgreSQL", async () => {
	const database = await createTestDatabase();
	try {
		const plugin = knexStorage({ client: "postgres", url: database.url });
		await withStorage(plugin, async (storage) => assert.deepEqual(await collectAll(storage), left));
	} finally {
		await database.drop();
	}
});

async function withStorage(plugin: StoragePlugin, use: (storage: Storage) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-retention-"));
	const storage = plugin.create();
	const context = { logger: silentLogger, clock: getSystemClock(), dataDirectory: directory, nodeId: "node", options: createOptions() };
	try {
		await storage.start?.(context);
		await use(storage);
	} finally {
		await storage.stop?.();
		await rm(directory, { recursive: true, force: true });
	}
}

test.run();
