import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError, type Storage } from "../../../contract/index.ts";
import { startEngine, type TestEngine } from "../../../testing/engine/engine.test-support.ts";
import { createOtherWriter, type OtherWriter } from "../../../testing/engine/other-writer.test-support.ts";
import { createSharedStorage } from "../../../testing/engine/shared-storage.test-support.ts";
import { createAction } from "../../../testing/storage/fixtures.ts";
import { type Files, install, keepVersion, packsOf } from "./pack-activation.test-support.ts";

// Another node changes a record between the draft of a switch and its write: the switch must be drafted anew.

interface Scene {
	readonly engine: TestEngine["engine"];
	readonly storage: Storage;
	readonly other: OtherWriter;
}

function withSwitch(name: string, use: (scene: Scene) => Promise<void>): void {
	test(name, async () => {
		const { createDoor, storage, release } = createSharedStorage();
		const other = createOtherWriter();
		const { plugin, eventBus } = createDoor(other.onCall);
		const { engine, stop } = await startEngine({ storage: plugin, eventBus, only: ["api"] });
		try {
			await use({ engine, storage, other });
		} finally {
			await stop();
			await release();
		}
	});
}

const action = { "actions/tell.yaml": "name: tell\nrunner_type: scripted\n" };

function toRule(said: string, url = "a"): Files {
	const trigger = `{type: core.svc.webhook, parameters: {url: ${url}}}`;
	const text = `name: on\nenabled: true\ndescription: of the file\ntrigger: ${trigger}\naction: {ref: disk.tell, parameters: {lines: [${said}]}}\n`;
	return { ...action, "rules/on.yaml": text };
}

async function findPack(storage: Storage) {
	const [pack] = await storage.find("pack", { where: { ref: "disk" } });
	assert.ok(pack !== undefined);
	return pack;
}

withSwitch("a pack that another node has switched meanwhile is another one than the caller saw", async ({ engine, storage, other }) => {
	await install(engine, "disk", toRule("one"));
	const { id, content } = await findPack(storage);
	const next = { ...(await keepVersion(engine, "disk", toRule("two"))), expected: content };
	const theirs = await keepVersion(engine, "disk", toRule("three"));
	other.before("pack", {}, () => storage.update("pack", id, { content: theirs.content, registration: "theirs" }));
	await assert.rejects(packsOf(engine).switch.apply([next]), (error) => isSvcError(error, "SVC_CONFLICT"));
	assert.equal((await findPack(storage)).content, theirs.content);
});

withSwitch("a rule that was changed meanwhile is as the file of the new version says", async ({ engine, storage, other }) => {
	await install(engine, "disk", toRule("one"));
	const [rule] = await storage.find("rule", { where: { ref: "disk.on" } });
	other.before("rule", {}, () => storage.update("rule", rule?.id ?? "", { description: "theirs", revision: "theirs" }));
	await install(engine, "disk", toRule("two"));
	assert.equal(other.hasCome(), true);
	assert.equal((await storage.get("rule", rule?.id ?? ""))?.description, "of the file");
});

withSwitch("a switch keeps what a look at the queue of a policy has counted", async ({ engine, storage, other }) => {
	const toFiles = (threshold: number): Files => ({
		...action,
		"policies/limit.yaml": `name: limit\nresource_ref: disk.tell\npolicy_type: action.concurrency\nparameters: {threshold: ${threshold}}\n`,
	});
	await install(engine, "disk", toFiles(1));
	const [policy] = await storage.find("policy", { where: { ref: "disk.limit" } });
	const turn = policy?.turn ?? 0;
	other.before("policy", {}, () => storage.update("policy", policy?.id ?? "", { turn: turn + 1 }));
	await install(engine, "disk", toFiles(2));
	const changed = await storage.get("policy", policy?.id ?? "");
	assert.deepEqual([changed?.turn, changed?.parameters["threshold"]], [turn + 2, 2]);
});

withSwitch("a pack that is removed takes along what another node has just brought", async ({ engine, storage, other }) => {
	await install(engine, "disk", action);
	const { id } = await findPack(storage);
	other.before("pack", {}, async () => {
		await storage.insert("action", [createAction("late", { pack: "disk", ref: "disk.late", name: "late" })]);
		await storage.update("pack", id, { registration: "theirs" });
	});
	await packsOf(engine).switch.remove(["disk"]);
	assert.equal(other.hasCome(), true);
	assert.deepEqual([await storage.count("pack", { ref: "disk" }), await storage.count("action", { pack: "disk" })], [0, 0]);
});

withSwitch(
	"a rule of a new version has its trigger, also one that went with its last rule meanwhile",
	async ({ engine, storage, other }) => {
		const { ref } = await engine.triggers.triggers.create({ type: "core.svc.webhook", parameters: { url: "late" } });
		await install(engine, "disk", toRule("one"));
		other.before("pack", {}, () => storage.remove("trigger", { where: { ref } }));
		await install(engine, "disk", toRule("one", "late"));
		assert.equal(other.hasCome(), true);
		const [rule] = await storage.find("rule", { where: { ref: "disk.on" } });
		assert.equal(await storage.count("trigger", { ref: rule?.trigger ?? "" }), 1);
	},
);

withSwitch("a pack does not refer to content of which pieces were removed meanwhile", async ({ engine, storage, other }) => {
	await install(engine, "disk", toRule("one"));
	const { content } = await findPack(storage);
	const next = await keepVersion(engine, "disk", toRule("two"));
	other.before("pack_content", {}, () => storage.update("pack_content", next.content ?? "", { complete: false }));
	await assert.rejects(packsOf(engine).switch.apply([next]), (error) => isSvcError(error, "SVC_CONFLICT"));
	assert.equal((await findPack(storage)).content, content);
});

test.run();
