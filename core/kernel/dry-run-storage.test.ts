import * as assert from "node:assert/strict";
import { test } from "uvu";
import { type ActionEntity, isSvcError } from "../contract/index.ts";
import { DryRunStorage } from "./dry-run-storage.ts";

function action(id: string, name: string): ActionEntity {
	return {
		...{ id, ref: `disk.${name}`, pack: "disk", name, description: "", runner_type: "noop", entry_point: "", enabled: true },
		...{ metadata_file: null, parameters: {}, output_schema: {}, tags: [], notify: {}, content: null },
	};
}

const isConflict = (error: unknown) => isSvcError(error, "SVC_CONFLICT");

test("unique keys hold for what is inserted and what is changed, and are free again with what goes", async () => {
	const storage = new DryRunStorage();
	await storage.insert("action", [action("1", "a"), action("2", "b")]);
	await assert.rejects(storage.insert("action", [action("3", "a")]), isConflict);
	await assert.rejects(storage.insert("action", [action("1", "c")]), isConflict);
	await assert.rejects(storage.update("action", "2", { ref: "disk.a" }), isConflict);
	await storage.update("action", "1", { ref: "disk.z", name: "z" });
	assert.equal((await storage.find("action", { where: { ref: "disk.a" } })).length, 0);
	assert.equal((await storage.find("action", { where: { ref: "disk.z" } }))[0]?.id, "1");
	await storage.update("action", "2", { ref: "disk.a" });
	assert.equal(await storage.remove("action", { where: { ref: "disk.a" } }), 1);
	await storage.insert("action", [action("4", "a")]);
	assert.deepEqual(
		(await storage.find("action", {})).map(({ id }) => id),
		["1", "4"],
	);
});

test("what is given and what is answered is nobody else's", async () => {
	const storage = new DryRunStorage();
	const tags = [{ name: "x" }];
	await storage.insert("action", [{ ...action("1", "a"), tags }]);
	tags[0] = { name: "y" };
	const found = await storage.get("action", "1");
	(found?.tags as unknown as { name: string }[])[0] = { name: "z" };
	assert.deepEqual((await storage.get("action", "1"))?.tags, [{ name: "x" }]);
});

test("of equals a later order decides, and without any they stay as they came", async () => {
	const storage = new DryRunStorage();
	const records = [action("1", "b"), action("2", "a"), action("3", "c"), action("4", "d")];
	await storage.insert(
		"action",
		records.map((record) => ({ ...record, runner_type: record.id === "4" ? "a" : "noop" })),
	);
	const order = async (...orderBy: readonly (readonly [keyof ActionEntity & string, "asc" | "desc"])[]) =>
		(await storage.find("action", { orderBy })).map(({ id }) => id);
	assert.deepEqual(await order(["runner_type", "asc"]), ["4", "1", "2", "3"]);
	assert.deepEqual(await order(["runner_type", "desc"], ["name", "asc"]), ["2", "1", "3", "4"]);
});

test.run();
