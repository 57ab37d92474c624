// test-waits
import * as assert from "node:assert/strict";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { principal, startEngine, type TestEngine } from "../../core/testing/engine/engine.test-support.ts";
import { createSharedStorage } from "../../core/testing/engine/shared-storage.test-support.ts";
import { knexStorage } from "../storage-knex/index.ts";
import { fileWatch } from "./index.ts";

const toRule = (path: string) => ({
	name: "watch",
	enabled: true,
	pack: "default",
	trigger: { type: "linux.file_watch.line", parameters: { file_path: path } },
	action: { ref: "default.scripted", parameters: { lines: ["{{ trigger.line }}"] } },
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
	const deadline = performance.now() + 10_000;
	while (!(await isTrue())) {
		if (performance.now() > deadline) throw new Error("not within ten seconds");
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

const isWatched = ({ engine }: TestEngine) =>
	until(async () => (await engine.datastore.list({ prefix: "linux.file-watch:" }, principal)).length === 1);

/** Lines that were told, oldest first. */
async function linesOf({ engine }: TestEngine): Promise<readonly unknown[]> {
	const { items } = await engine.triggers.instances.list({ trigger_type: "linux.file_watch.line" }, {});
	return items.map(({ payload }) => payload["line"]).reverse();
}

test("a rule on a file runs its action once for each line, over restarts of the whole service", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-file-watch-service-"));
	const path = join(directory, "app.log");
	const start = () =>
		startEngine({
			storage: knexStorage({ client: "sqlite", file: join(directory, "svc.db") }),
			options: {
				sensors: [fileWatch({ paths: [directory], interval: 0.02 })],
				keyvalue: { encryption_key_path: join(directory, "key.json") },
			},
		});
	try {
		await writeFile(path, "old\n");
		const expected: string[] = [];
		for (let round = 1; round <= 4; round += 1) {
			const service = await start();
			if (round === 1) await service.engine.rules.create(toRule(path), principal);
			await isWatched(service);
			for (const line of [`${round} while it runs`, `${round} once more`]) {
				expected.push(line);
				await appendFile(path, `${line}\n`);
			}
			await until(async () => (await linesOf(service)).length >= expected.length);
			await service.stop();
			expected.push(`${round} while it is away`);
			await appendFile(path, `${round} while it is away\n`);
		}
		const service = await start();
		await until(async () => (await linesOf(service)).length === expected.length);
		assert.deepEqual(await linesOf(service), expected);
		await until(async () => {
			const { items } = await service.engine.executions.list({ filter: {}, limit: 100 });
			return items.filter(({ entity }) => entity.status === "succeeded").length === expected.length;
		});
		await service.stop();
	} finally {
		await rm(directory, { recursive: true });
	}
});

test("another node goes on where one that stands still has been, and no line is told twice", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-file-watch-nodes-"));
	const path = join(directory, "app.log");
	await writeFile(path, "");
	const { createDoor, storage, release } = createSharedStorage();
	const startNode = async () => {
		const door = createDoor();
		const options = { sensors: [fileWatch({ paths: [directory], interval: 0.02 })], scheduler: { lease: 0.6, poll_interval: 0.05 } };
		return { door, service: await startEngine({ storage: door.plugin, eventBus: door.eventBus, options }) };
	};
	const nodes = [await startNode(), await startNode()];
	try {
		const [first] = nodes;
		await first?.service.engine.rules.create(toRule(path), principal);
		if (first !== undefined) await isWatched(first.service);
		const count = () => storage.count("trigger_instance", { trigger_type: "linux.file_watch.line" });
		for (let round = 1; round <= 3; round += 1) {
			await appendFile(path, `a ${round}\nb ${round}\n`);
			await until(async () => (await count()) === round * 3 - 1);
			const [sensor] = await storage.find("sensor", {});
			const holder = nodes.find(({ service }) => service.engine.nodeId === sensor?.owner);
			holder?.door.shut();
			await appendFile(path, `c ${round}\n`);
			await until(async () => (await count()) === round * 3);
			holder?.door.open();
			await until(async () => (await storage.find("sensor", {}))[0]?.owner !== holder?.service.engine.nodeId);
		}
		const instances = await storage.find("trigger_instance", { where: { trigger_type: "linux.file_watch.line" } });
		assert.deepEqual(instances.map(({ payload }) => payload["line"]).sort(), [
			"a 1",
			"a 2",
			"a 3",
			"b 1",
			"b 2",
			"b 3",
			"c 1",
			"c 2",
			"c 3",
		]);
	} finally {
		for (const { door, service } of nodes) {
			door.open();
			await service.stop();
		}
		await release();
		await rm(directory, { recursive: true });
	}
});

test.run();
