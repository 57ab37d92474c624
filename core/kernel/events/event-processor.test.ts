import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { SvcError } from "../../contract/index.ts";
import { administrator, testTrigger } from "../../features/rules/rules.test-support.ts";
import { startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createSharedStorage, type Door, type OnCall, type SharedStorage } from "../../testing/engine/shared-storage.test-support.ts";

const rule = (name: string) => ({ name, trigger: { type: testTrigger }, action: { ref: "default.scripted" }, enabled: true });

function start({ plugin, eventBus }: Door, lease = 15): Promise<TestEngine> {
	return startEngine({ storage: plugin, eventBus, options: { scheduler: { lease, poll_interval: 0.05 } } });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
	while (!(await condition())) await delay(5);
}

const dispatch = async ({ engine }: TestEngine) => (await engine.dispatcher.dispatch({ trigger: testTrigger, payload: { n: 1 } })).instance;

/** One test on a storage of its own. */
function withShared(name: string, run: (shared: SharedStorage) => Promise<void>): void {
	test(name, async () => {
		const shared = createSharedStorage();
		try {
			await run(shared);
		} finally {
			await shared.release();
		}
	});
}

async function processed({ storage }: SharedStorage, id: string): Promise<void> {
	await until(async () => (await storage.get("trigger_instance", id))?.status === "processed");
}

withShared("a rule that one node makes counts at once on another, even when no event tells of it", async (shared) => {
	const [first, second] = [await start(shared.createDoor()), await start(shared.createDoor())];
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

withShared("events are shared among nodes, each processed once", async (shared) => {
	const nodes = [await start(shared.createDoor()), await start(shared.createDoor())] as const;
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

withShared("another node takes over from one that stands still, and what that one does later changes nothing", async (shared) => {
	const door = shared.createDoor();
	const slow = await start(door, 0.3);
	await slow.engine.triggers.types.create({ pack: "default", name: "happening" });
	for (const name of ["a", "b", "c"]) await slow.engine.rules.create(rule(name), administrator);
	const other = await start(shared.createDoor(), 0.3);
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

withShared("a node that sleeps past its lease writes nothing any more, whatever has become of the rules", async (shared) => {
	let isArmed = false;
	let isStored = false;
	const door = shared.createDoor((method, [kind]) => {
		// The event is stored; it knows the rules and is about to act.
		if (isArmed && isStored && method === "find" && kind === "rule") door.shut();
		isStored ||= isArmed && method === "write";
	});
	const undecidable = { "trigger.n": { type: "search", pattern: {}, condition: "any" } };
	const slow = await start(door, 0.3);
	const other = await start(shared.createDoor(), 0.3);
	try {
		await slow.engine.triggers.types.create({ pack: "default", name: "happening" });
		for (const name of ["b", "c"]) await slow.engine.rules.create(rule(name), administrator);
		await slow.engine.rules.create({ ...rule("a"), criteria: undecidable }, administrator);
		isArmed = true;
		const { id } = await dispatch(slow);
		// First of all it keeps under which refs they act.
		await door.knocked("insert");
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

/** Sent again until it is taken, as senders do who are told 503. */
async function dispatchUntilTaken(node: TestEngine, uniqueKey: string): Promise<void> {
	const event = { trigger: testTrigger, payload: { n: 1 }, uniqueKey };
	for (let isTaken = false; !isTaken; ) {
		isTaken = await node.engine.dispatcher.dispatch(event).then(
			() => true,
			() => false,
		);
	}
}

const readsDatastore = { "trigger.n": { type: "nequals", pattern: "{{ svckv.system.none | default(7) }}" } };
for (const [when, criteria] of [
	["of what was stored before", readsDatastore],
	["in the write that stores an event", {}],
] as const) {
	withShared(`an outage of the storage puts off what is done ${when}, and nothing is lost or done twice`, async (shared) => {
		const node = await start(shared.createDoor(createOutages()), 0.2);
		try {
			await node.engine.triggers.types.create({ pack: "default", name: "happening" });
			for (const name of ["a", "b"]) await node.engine.rules.create({ ...rule(name), criteria }, administrator);
			await Promise.all(Array.from({ length: 20 }, (_, index) => dispatchUntilTaken(node, `event ${index}`)));
			await until(async () => (await shared.storage.count("trigger_instance", { status: "processed" })) === 20);
			assert.equal(await shared.storage.count("rule_enforcement", { status: "succeeded" }), 40);
			assert.equal(await shared.storage.count("execution", {}), 40);
		} finally {
			await node.stop();
		}
	});
}

withShared("what was left unfinished is processed at the next start", async (shared) => {
	const door = shared.createDoor();
	const node = await start(door);
	await node.engine.triggers.types.create({ pack: "default", name: "happening" });
	await node.engine.rules.create(rule("a"), administrator);
	const { id } = await dispatch(node);
	await processed(shared, id);
	await node.stop();
	// As a process leaves it that is killed after it stored the event.
	await shared.storage.update("trigger_instance", id, { status: "processing", owner: "gone", fence: "f", lease_expires_at: "2020" });
	await shared.storage.remove("rule_enforcement", { where: {} });
	const next = await start(shared.createDoor());
	try {
		await processed(shared, id);
		assert.equal(await shared.storage.count("rule_enforcement", { trigger_instance_id: id }), 1);
	} finally {
		await next.stop();
	}
});

test.run();
