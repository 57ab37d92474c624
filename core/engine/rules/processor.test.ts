import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { type StoragePlugin, SvcError } from "../../contract/index.ts";
import { startEngine, type TestEngine } from "../engine.test-support.ts";
import { createSharedStorage, type OnCall, type SharedStorage } from "../shared-storage.test-support.ts";
import { administrator, testTrigger } from "./rules.test-support.ts";

const rule = (name: string) => ({ name, trigger: { type: testTrigger }, action: { ref: "default.scripted" }, enabled: true });

function start(storage: StoragePlugin, lease = 15): Promise<TestEngine> {
	return startEngine({ storage, options: { scheduler: { lease, poll_interval: 0.05 } } });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
	while (!(await condition())) await delay(5);
}

const dispatch = async ({ engine }: TestEngine) => (await engine.dispatcher.dispatch({ trigger: testTrigger, payload: { n: 1 } })).instance;

async function processed({ storage }: SharedStorage, id: string): Promise<void> {
	await until(async () => (await storage.get("trigger_instance", id))?.status === "processed");
}

test("a rule that one node makes counts at once on another, even when no event tells of it", async () => {
	const shared = createSharedStorage();
	const [first, second] = [await start(shared.createDoor().plugin), await start(shared.createDoor().plugin)];
	try {
		await first.engine.triggers.types.create({ pack: "default", name: "happening" });
		await processed(shared, (await dispatch(first)).id);
		await second.engine.rules.create(rule("a"), administrator);
		const { id } = await dispatch(first);
		await processed(shared, id);
		assert.equal(await shared.storage.count("rule_enforcement", { trigger_instance_id: id, status: "succeeded" }), 1);
	} finally {
		await Promise.all([first.stop(), second.stop()]);
	}
});

test("events are shared among nodes, each processed once", async () => {
	const shared = createSharedStorage();
	const nodes = [await start(shared.createDoor().plugin), await start(shared.createDoor().plugin)] as const;
	try {
		await nodes[0].engine.triggers.types.create({ pack: "default", name: "happening" });
		for (const name of ["a", "b"]) await nodes[0].engine.rules.create(rule(name), administrator);
		await Promise.all(Array.from({ length: 200 }, (_, index) => dispatch(nodes[index % 2 === 0 ? 0 : 1])));
		await until(async () => (await shared.storage.count("trigger_instance", { status: "processed" })) === 200);
		assert.equal(await shared.storage.count("rule_enforcement", { status: "succeeded" }), 400);
		assert.equal(await shared.storage.count("execution", {}), 400);
	} finally {
		await Promise.all(nodes.map((node) => node.stop()));
	}
});

test("another node takes over from one that stands still, and what that one does later changes nothing", async () => {
	const shared = createSharedStorage();
	const door = shared.createDoor();
	const slow = await start(door.plugin, 0.3);
	await slow.engine.triggers.types.create({ pack: "default", name: "happening" });
	for (const name of ["a", "b", "c"]) await slow.engine.rules.create(rule(name), administrator);
	const other = await start(shared.createDoor().plugin, 0.3);
	try {
		const { id } = await dispatch(slow);
		door.shut();
		await processed(shared, id);
		door.open();
		// Resolves when it has done all it means to do.
		await slow.stop();
		assert.equal(await shared.storage.count("rule_enforcement", { trigger_instance_id: id }), 3);
		assert.equal(await shared.storage.count("execution", { trigger_instance_id: id }), 3);
		assert.equal((await shared.storage.get("trigger_instance", id))?.status, "processed");
	} finally {
		door.open();
		await Promise.all([slow.stop(), other.stop()]);
	}
});

test("a node that sleeps past its lease writes nothing any more, whatever has become of the rules", async () => {
	const shared = createSharedStorage();
	let isArmed = false;
	let isStored = false;
	const door = shared.createDoor((method, [kind]) => {
		// The event is stored; it knows the rules and is about to act.
		if (isArmed && isStored && method === "find" && kind === "rule") door.shut();
		isStored ||= isArmed && method === "write";
	});
	const undecidable = { "trigger.n": { type: "search", pattern: {}, condition: "any" } };
	const slow = await start(door.plugin, 0.3);
	const other = await start(shared.createDoor().plugin, 0.3);
	try {
		await slow.engine.triggers.types.create({ pack: "default", name: "happening" });
		for (const name of ["b", "c"]) await slow.engine.rules.create(rule(name), administrator);
		await slow.engine.rules.create({ ...rule("a"), criteria: undecidable }, administrator);
		isArmed = true;
		const { id } = await dispatch(slow);
		await door.knocked("write");
		for (const name of ["a", "b"]) await other.engine.rules.remove(`default.${name}`);
		await processed(shared, id);
		isArmed = false;
		door.open();
		await slow.stop();
		const written = await shared.storage.find("rule_enforcement", { where: { trigger_instance_id: id } });
		assert.deepEqual(
			written.map(({ rule_ref }) => rule_ref),
			["default.c"],
		);
		assert.equal(await shared.storage.count("execution", { trigger_instance_id: id }), 1);
	} finally {
		door.open();
		await Promise.all([slow.stop(), other.stop()]);
	}
});

/** Fails a share of the writes, as a storage that comes and goes does. */
function createOutages(): OnCall {
	let calls = 0;
	return (method, [operations]) => {
		if (method !== "write" || !JSON.stringify(operations).includes("rule_enforcement")) return;
		calls += 1;
		if (calls % 3 === 0) throw new SvcError("SVC_UNAVAILABLE", "the storage is away");
	};
}

test("an outage of the storage puts processing off, and nothing is lost or done twice", async () => {
	const shared = createSharedStorage();
	const node = await start(shared.createDoor(createOutages()).plugin, 0.2);
	try {
		await node.engine.triggers.types.create({ pack: "default", name: "happening" });
		for (const name of ["a", "b"]) await node.engine.rules.create(rule(name), administrator);
		await Promise.all(Array.from({ length: 20 }, () => dispatch(node)));
		await until(async () => (await shared.storage.count("trigger_instance", { status: "processed" })) === 20);
		assert.equal(await shared.storage.count("rule_enforcement", { status: "succeeded" }), 40);
		assert.equal(await shared.storage.count("execution", {}), 40);
	} finally {
		await node.stop();
	}
});

test("what was left unfinished is processed at the next start", async () => {
	const shared = createSharedStorage();
	const door = shared.createDoor();
	const node = await start(door.plugin);
	await node.engine.triggers.types.create({ pack: "default", name: "happening" });
	await node.engine.rules.create(rule("a"), administrator);
	const { id } = await dispatch(node);
	await processed(shared, id);
	await node.stop();
	// As a process leaves it that is killed after it stored the event.
	await shared.storage.update("trigger_instance", id, { status: "processing", owner: "gone", fence: "f", lease_expires_at: "2020" });
	await shared.storage.remove("rule_enforcement", { where: {} });
	const next = await start(shared.createDoor().plugin);
	try {
		await processed(shared, id);
		assert.equal(await shared.storage.count("rule_enforcement", { trigger_instance_id: id }), 1);
	} finally {
		await next.stop();
	}
});

test.run();
