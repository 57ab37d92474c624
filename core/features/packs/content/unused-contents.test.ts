import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { ExecutionEntity, PackEntity, Storage } from "../../../contract/index.ts";
import { clockOf } from "../../../testing/engine/clock-of.test-support.ts";
import { createAction, createExecution, nextId } from "../../../testing/storage/fixtures.ts";
import { notInstalled } from "../registration/not-installed.ts";
import { type ContentPlace, never, withContents } from "./contents.test-support.ts";
import type { PackContents } from "./pack-contents.ts";

const hour = 3_600_000_000;

interface Scene {
	readonly contents: PackContents;
	readonly storage: Storage;
	/** Store other content than before. */
	store(): Promise<string>;
	/** Let time pass, and collect. */
	collectAfter(microseconds: number): Promise<number>;
	kept(): Promise<readonly string[]>;
}

async function withScene(use: (scene: Scene) => Promise<void>, storageOf = (place: ContentPlace) => place.storage): Promise<void> {
	await withContents(async (place) => {
		let now = Date.parse("2026-06-01T00:00:00Z") * 1_000;
		let version = 0;
		const contents = place.contents({ clock: clockOf(() => now++), storage: storageOf(place) });
		await use({
			contents,
			storage: place.storage,
			store() {
				version += 1;
				place.write("pack.yaml", `version: ${version}\n`);
				return contents.store(place.pack, { pack: "disk", signal: never });
			},
			collectAfter(microseconds) {
				now += microseconds;
				return contents.collect(never);
			},
			kept: async () => (await place.storage.find("pack_content", {})).map(({ id }) => id),
		});
	});
}

function toPack(fields: Partial<PackEntity>): PackEntity {
	const text = { ref: "disk", name: "disk", description: "", version: "1.0.0", author: "a" };
	return { id: nextId(), ...text, path: null, metadata: {}, ...notInstalled, ...fields };
}

/** An execution that began with the action as it was then. */
async function leaveExecution(storage: Storage, content: string, status: ExecutionEntity["status"]): Promise<void> {
	const snapshot_id = nextId();
	const runner = {
		id: nextId(),
		name: "noop",
		description: "",
		enabled: true,
		runner_module: "noop",
		output_key: null,
		runner_parameters: {},
	};
	await storage.insert("snapshot", [{ id: snapshot_id, action: createAction("sweep", { content }), runner }]);
	await storage.insert("execution", [createExecution({ status, snapshot_id })]);
}

test("content goes when nothing has referred to it for an hour", () =>
	withScene(async ({ store, collectAfter, kept, storage }) => {
		const content = await store();
		assert.equal(await collectAfter(hour - 1_000_000), 0);
		assert.equal(await collectAfter(2_000_000), 0, "it may just have been let go of");
		assert.equal(await collectAfter(hour / 2), 0);
		assert.deepEqual(await kept(), [content]);
		assert.equal(await collectAfter(hour / 2), 1);
		assert.deepEqual(await kept(), []);
		assert.equal(await storage.count("pack_content_chunk", {}), 0);
	}));

test("what a pack has or had lately, what actions came with and what executions began with stays as long as they need it", () =>
	withScene(async ({ store, collectAfter, kept, storage }) => {
		const [current, earlier, ofAction, asking, waiting, ended] = [
			await store(),
			await store(),
			await store(),
			await store(),
			await store(),
			await store(),
		];
		await storage.insert("pack", [toPack({ content: current, earlier: [{ content: earlier, version: "0.9.0" }] })]);
		await storage.insert("action", [createAction("sweep", { content: ofAction })]);
		await leaveExecution(storage, asking, "pending");
		await leaveExecution(storage, waiting, "delayed");
		await leaveExecution(storage, ended, "succeeded");
		assert.equal(await collectAfter(2 * hour), 0);
		assert.equal(await collectAfter(2 * hour), 1);
		assert.deepEqual(new Set(await kept()), new Set([current, earlier, ofAction, asking, waiting]));
		await storage.remove("execution", { where: {} });
		await storage.remove("pack", { where: {} });
		await storage.remove("action", { where: {} });
		await collectAfter(hour);
		assert.equal(await collectAfter(hour), 5);
	}));

test("content that was never brought to its end goes after an hour", () =>
	withScene(async ({ contents, store, collectAfter, kept, storage }) => {
		const content = await store();
		await storage.update("pack_content", content, { complete: false });
		await assert.rejects(contents.files(content), { code: "SVC_NOT_FOUND" });
		assert.equal(await collectAfter(hour / 2), 0);
		assert.equal(await collectAfter(hour), 1);
		assert.deepEqual(await kept(), []);
	}));

test("a pack that is made to refer to content while it is looked for keeps it, and one that comes too late is told", async () => {
	let between = async () => {};
	const during = (place: ContentPlace): Storage =>
		new Proxy(place.storage, {
			get(target, name) {
				if (name !== "write") return Reflect.get(target, name);
				return async (operations: Parameters<Storage["write"]>[0]) => {
					await between();
					return target.write(operations);
				};
			},
		});
	await withScene(async ({ contents, store, collectAfter, kept, storage }) => {
		const content = await store();
		await collectAfter(2 * hour);
		const pack = toPack({ content });
		const install = () => storage.write([{ insert: "pack", entities: [pack] }, contents.keep(content)]);
		between = install;
		assert.equal(await collectAfter(2 * hour), 0);
		assert.deepEqual(await kept(), [content]);
		between = async () => {};
		await storage.remove("pack", { where: {} });
		await collectAfter(2 * hour);
		assert.equal(await collectAfter(2 * hour), 1);
		await assert.rejects(install(), { code: "SVC_CONFLICT" });
		assert.equal(await storage.count("pack", {}), 0);
	}, during);
});

test.run();
