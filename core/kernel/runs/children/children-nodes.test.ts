import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import {
	defineRunner,
	type ExecutionStatus,
	isSvcError,
	type RunContext,
	type RunResult,
	type WriteOperation,
} from "../../../contract/index.ts";
import { startEngine, type TestEngine } from "../../../testing/engine/engine.test-support.ts";
import { createSharedStorage, type Door, type OnCall, type SharedStorage } from "../../../testing/engine/shared-storage.test-support.ts";
import { toChildId } from "../../executions/child-identity.ts";

type Script = (context: RunContext) => Promise<RunResult>;
type Node = TestEngine & { readonly door: Door };

/** A runner whose runs do on each node what the test says. */
function parentRunner(script: Script) {
	return defineRunner("parent", () => ({
		description: "Does what a test says.",
		capabilities: { cancellation: true, recovery: true },
		parameters: { timeout: { type: "number", default: 60 } },
		run: script,
		recover: script,
	}))();
}

interface Scene extends SharedStorage {
	startNode(script: Script, options?: { readonly poolSize?: number; readonly onCall?: OnCall }): Promise<Node>;
}

function scene(name: string, body: (scene: Scene) => Promise<void>): void {
	test(name, async () => {
		const shared = createSharedStorage();
		const nodes: Node[] = [];
		const startNode: Scene["startNode"] = async (script, { poolSize = 50, onCall } = {}) => {
			const door = shared.createDoor(onCall);
			const options = {
				scheduler: { lease: 1, poll_interval: 0.05 },
				timersengine: { enable: false },
				log: { level: "error" },
				actionrunner: { exit_still_active_check: 1, actions_pool_size: poolSize },
			} as const;
			const engine = await startEngine({ storage: door.plugin, eventBus: door.eventBus, runners: [parentRunner(script)], options });
			const node = { ...engine, door };
			nodes.push(node);
			await node.engine.actions.create({ name: "parent", runner_type: "parent" }).catch(() => undefined);
			return node;
		};
		try {
			await body({ ...shared, startNode });
		} finally {
			for (const { door, stop } of nodes) {
				door.open();
				await stop();
			}
			await shared.release();
		}
	});
}

/** A child once it has been started and has the status. */
async function reached({ storage, settled }: TestEngine, id: string, status: ExecutionStatus): Promise<void> {
	while ((await storage.get("execution", id)) === undefined) await delay(2);
	await settled(id, status);
}

const scripted = (key: string, outcome = "succeed") => ({ key, action: "default.scripted", parameters: { outcome } });

scene("a run that another node goes on with finds its children again, and starts none twice", async ({ startNode, storage }) => {
	const runs: string[] = [];
	const late: unknown[] = [];
	const script =
		(node: string): Script =>
		async ({ children, saveState }) => {
			runs.push(node);
			await saveState({});
			const ids = [
				await children.start(scripted("done")),
				await children.start(scripted("lost", "hang")),
				await children.start({ ...scripted("waiting"), delay: 700 }),
			];
			const ends = await Promise.all(ids.map((id) => children.ended(id))).catch(async (error: unknown) => {
				late.push(error);
				late.push(await children.start(scripted("late")).catch((refusal: unknown) => refusal));
				throw error;
			});
			const again = await children.ended(await children.start(scripted("again")));
			return { succeeded: true, result: { node, statuses: [...ends, again].map(({ status }) => status) } };
		};
	const first = await startNode(script("first"));
	const { id } = await first.submit({}, { action: "default.parent" });
	await reached(first, toChildId(id, "done"), "succeeded");
	await reached(first, toChildId(id, "lost"), "running");
	await reached(first, toChildId(id, "waiting"), "delayed");
	first.door.shut();
	const second = await startNode(script("second"));
	const parent = await second.settled(id);
	assert.deepEqual(parent.result, { node: "second", statuses: ["succeeded", "abandoned", "succeeded", "succeeded"] });
	assert.deepEqual(runs, ["first", "second"]);
	first.door.open();
	await first.engine.drain();
	assert.ok(late.length === 2 && isSvcError(late[1], "SVC_CONFLICT"), String(late));
	const children = await storage.find("execution", { where: { parent_id: id } });
	assert.deepEqual(new Set(children.map((child) => child.context["parent"])).size, 4);
	assert.equal(children.length, 4);
	assert.equal(children.find((child) => child.id === toChildId(id, "done"))?.log.filter(({ status }) => status === "running").length, 1);
});

scene("what a node that was taken over has begun to store of a child is refused", async ({ startNode, storage }) => {
	let refusal: unknown;
	let go = () => {};
	const told = new Promise<void>((resolve) => {
		go = resolve;
	});
	const first = await startNode(async ({ children, saveState }) => {
		await saveState({});
		// The first use of an action stores what it is.
		await children.ended(await children.start(scripted("early")));
		await told;
		await children.start(scripted("late")).catch((error: unknown) => {
			refusal = error;
		});
		return { succeeded: true, result: {} };
	});
	const { id } = await first.submit({}, { action: "default.parent" });
	await reached(first, toChildId(id, "early"), "succeeded");
	first.door.shut();
	go();
	await first.door.knocked("write");
	const second = await startNode(async ({ children }) => ({
		succeeded: true,
		result: { found: (await children.list()).map(({ key }) => key ?? "") },
	}));
	assert.deepEqual((await second.settled(id)).result, { found: ["early"] });
	first.door.open();
	await first.engine.drain();
	assert.ok(isSvcError(refusal, "SVC_CONFLICT"), String(refusal));
	assert.equal(await storage.count("execution", { parent_id: id }), 1);
});

scene("children run on every node, and their parent hears of each end", async ({ startNode, storage }) => {
	const count = 24;
	const script: Script = async ({ children }) => {
		for (let index = 0; index < count; index++) await children.start(scripted(`item-${index}`));
		const seen = new Set<string>();
		for await (const child of children.changes()) {
			if (child.hasEnded) seen.add(child.id);
			if (seen.size === count) break;
		}
		return { succeeded: true, result: { seen: seen.size } };
	};
	const first = await startNode(script, { poolSize: 1 });
	await startNode(script, { poolSize: 1 });
	const ids = await Promise.all([0, 1, 2].map(async () => (await first.submit({}, { action: "default.parent" })).id));
	for (const id of ids) assert.deepEqual((await first.settled(id)).result, { seen: count });
	assert.equal(await storage.count("execution", { parent_id: { in: ids } }), count * ids.length);
});

scene("a start whose answer was lost is recognised, and one that the storage was away for happens", async ({ startNode, storage }) => {
	let faults = 0;
	const isChild = (operation: WriteOperation) =>
		"insert" in operation && operation.insert === "execution" && operation.entities.some(({ parent_id }) => parent_id !== null);
	const onCall: OnCall = (method, [operations]) => {
		if (method !== "write" || !(operations as WriteOperation[]).some(isChild)) return;
		faults += 1;
		if (faults % 2 === 1) return "lost";
	};
	const script: Script = async ({ children }) => {
		const ids: string[] = [];
		for (let index = 0; index < 4; index++) ids.push(await children.start(scripted(`item-${index}`)));
		const ends = await Promise.all(ids.map((id) => children.ended(id)));
		return { succeeded: ends.every(({ status }) => status === "succeeded"), result: {} };
	};
	const node = await startNode(script, { onCall });
	const { id } = await node.submit({}, { action: "default.parent" });
	assert.equal((await node.settled(id)).status, "succeeded");
	assert.ok(faults > 4);
	assert.equal(await storage.count("execution", { parent_id: id }), 4);
});

test.run();
