// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import {
	append,
	defineRunner,
	type ExecutionEntity,
	type ExecutionStatus,
	type RunnerPlugin,
	SvcError,
	type WriteOperation,
} from "../../contract/index.ts";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createSettableClock, type SettableClock } from "../../testing/engine/settable-clock.test-support.ts";
import { createSharedStorage, type Door, type OnCall, type SharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { inFull, type Register } from "../../testing/extent.test-support.ts";
import { getSystemClock, toTimestamp } from "../basics/clock.ts";

const lease = 0.2;
/** Seconds of a lease that a node renews in time even if the machine is busy. */
const unlosable = 3;
const clock = getSystemClock();
const statuses = ({ log }: ExecutionEntity) => log.map(({ status }) => status);

/** Says something; says more, and ends, when the test lets it and whatever its signal says. */
function createStubborn() {
	const saying = createGate();
	const ending = createGate();
	const plugin = defineRunner("stubborn", () => ({
		description: "Does not listen.",
		capabilities: { streaming: true },
		parameters: {},
		async run({ emit }) {
			await emit("stdout", "early\n");
			await saying.opened;
			await emit("stdout", "late\n");
			await ending.opened;
			return { succeeded: true, result: { by: "the late node" } };
		},
	}))();
	return { plugin, say: saying.open, end: ending.open };
}

function createGate() {
	let open = () => {};
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { open, opened };
}

/** A node with an execution that has said its first word and waits. */
async function startStubborn({ startNode, storage }: Cluster, onCall?: OnCall, seconds?: number) {
	const { plugin, say, end } = createStubborn();
	const node = await startNode([plugin], onCall, seconds);
	await node.engine.actions.create({ name: "stubborn", runner_type: "stubborn" });
	const { id } = await node.submit({}, { action: "default.stubborn" });
	while ((await storage.count("output_chunk", { execution_id: id })) === 0) await new Promise((resolve) => setTimeout(resolve, 2));
	return { node, id, say, end };
}

interface Node extends TestEngine {
	readonly door: Door;
	readonly clock: SettableClock;
}

interface Cluster extends SharedStorage {
	/** A node of its own; stopped at the end of the test. `seconds`: of its leases, more than usual where none may be lost. */
	startNode(runners?: readonly RunnerPlugin[], onCall?: OnCall, seconds?: number): Promise<Node>;
}

/** One test with nodes that share a storage. Where the bus of the backend is not shared, no event of one reaches another. */
function withCluster(name: string, body: (cluster: Cluster) => Promise<void>, register: Register = test): void {
	register(name, async () => {
		const shared = createSharedStorage();
		const nodes: Node[] = [];
		try {
			await body({
				...shared,
				async startNode(runners = [], onCall, seconds = lease) {
					const door = shared.createDoor(onCall);
					// What a node stores at the end of a run is then the first thing it asks of the storage.
					const options = {
						scheduler: { lease: seconds, poll_interval: 0.05 },
						action_sensor: { enable: false },
						timersengine: { enable: false },
						log: { level: "error" },
					} as const;
					const clock = createSettableClock();
					const node = await startEngine({ storage: door.plugin, eventBus: door.eventBus, runners, options, clock });
					nodes.push({ ...node, door, clock });
					return { ...node, door, clock };
				},
			});
		} finally {
			for (const node of nodes) {
				node.door.open();
				await node.stop();
			}
			await shared.release();
		}
	});
}

/** An execution in `status` that belongs to a node which went away, its lease about to end. */
async function leaveBehind(
	{ storage }: SharedStorage,
	{ submit }: Pick<TestEngine, "submit">,
	reached: readonly ExecutionStatus[],
): Promise<string> {
	const { id } = await submit({}, { delay: 60_000 });
	for (const status of reached)
		await storage.update("execution", id, { status, log: append({ status, timestamp: toTimestamp(clock.now()) }) });
	await storage.update("execution", id, { owner: "gone", fence: "gone", lease_expires_at: toTimestamp(clock.now() + 50_000) });
	return id;
}

withCluster("what a dead node had only scheduled is run by another", async (cluster) => {
	const node = await cluster.startNode([], undefined, unlosable);
	const ended = await node.settled(await leaveBehind(cluster, node, ["scheduled"]));
	assert.equal(ended.status, "succeeded");
	assert.deepEqual(statuses(ended).slice(-3), ["scheduled", "running", "succeeded"]);
	assert.equal(ended.attempt, 1);
});

withCluster("what ran on a dead node ends abandoned and is not run again", async (cluster) => {
	const node = await cluster.startNode();
	const ended = await node.settled(await leaveBehind(cluster, node, ["scheduled", "running"]));
	assert.equal(ended.status, "abandoned");
	assert.equal(ended.attempt, 0);
	assert.match(String(ended.result?.["error"]), /the node that ran the action stopped/);
	assert.deepEqual([ended.owner, ended.fence, ended.lease_expires_at], [null, null, null]);
});

withCluster("what a dead node was canceling ends canceled", async (cluster) => {
	const node = await cluster.startNode();
	const ended = await node.settled(await leaveBehind(cluster, node, ["scheduled", "running", "canceling"]));
	assert.equal(ended.status, "canceled");
});

withCluster("nothing is taken from a node that lives, however long its run is", async ({ startNode }) => {
	const seconds = 2;
	const busy = await startNode([], undefined, seconds);
	const { id } = await busy.submit({ outcome: "hang" });
	const running = await busy.settled(id, "running");
	const other = await startNode([], undefined, seconds);
	const later = toTimestamp(clock.now() + seconds * 1.5 * 1_000_000);
	while (toTimestamp(clock.now()) < later) {
		assert.equal((await other.settled(id, "running")).fence, running.fence);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	await busy.engine.executions.cancel(id, principal);
	assert.equal((await busy.settled(id)).status, "canceled");
});

withCluster("a cancel asked for at another node is obeyed although no event arrives", async ({ startNode }) => {
	// The node reads whether it must cancel when it renews, three times in a lease.
	const seconds = 9;
	const busy = await startNode([], undefined, seconds);
	const { id } = await busy.submit({ outcome: "hang" });
	await busy.settled(id, "running");
	const other = await startNode([], undefined, seconds);
	await other.engine.executions.cancel(id, principal);
	assert.deepEqual(statuses(await other.settled(id)).slice(-2), ["canceling", "canceled"]);
});

withCluster("each take-over has a fence of its own", async (cluster) => {
	const fences: unknown[] = [];
	const node = await cluster.startNode([], (method, [kind, , patch]) => {
		if (method === "update" && kind === "execution" && (patch as Partial<ExecutionEntity>).lease_expires_at)
			fences.push((patch as Partial<ExecutionEntity>).fence);
	});
	const id = await leaveBehind(cluster, node, ["scheduled"]);
	await node.settled(id);
	// A lease that ended long ago lies before the claim cursor, which starts at the beginning only every 30 seconds.
	const expired = toTimestamp(clock.now());
	await cluster.storage.update("execution", id, { status: "scheduled", owner: "gone", fence: "gone", lease_expires_at: expired });
	await node.settled(id);
	// A node that is held up for longer than its lease takes over from itself, too.
	assert.ok(fences.length >= 2);
	assert.equal(new Set(fences).size, fences.length);
});

/**
 * A node sleeps for longer than its lease, and another ends its run. The run says `late` meanwhile, and where `ends` is set
 * has come to its own end. What it wants to store waits when the node awakes.
 */
async function sleepThroughLease(cluster: Cluster, { ends, onCall }: { readonly ends: boolean; readonly onCall?: OnCall }) {
	const { node, id, say, end } = await startStubborn(cluster, onCall);
	// It does not notice how long it has slept before what it had begun goes on.
	node.clock.stop();
	node.door.shut();
	const ended = await (await cluster.startNode()).settled(id);
	say();
	if (ends) end();
	await node.door.knocked("insert", "write");
	node.door.open();
	await node.door.passed();
	end();
	await node.engine.drain();
	const chunks = await cluster.storage.find("output_chunk", { where: { execution_id: id } });
	return { ended, after: await cluster.storage.get("execution", id), output: chunks.map(({ data }) => data).join("") };
}

/** Take the conditions off all compound writes. */
const withoutFence: OnCall = (method, values) => {
	const [operations] = values;
	if (method === "write" && Array.isArray(operations)) values[0] = operations.map(({ expected, ...operation }) => operation);
};

for (const ends of [false, true]) {
	const what = ends ? "its result" : "output";
	withCluster(`a node that slept through its lease can store ${what} no more`, async (cluster) => {
		const { ended, after, output } = await sleepThroughLease(cluster, { ends });
		assert.equal(ended.status, "abandoned");
		assert.deepEqual(after, ended);
		assert.equal(output, "early\n");
	});
	const withoutFenceTest = async (cluster: Cluster) => {
		const { after, output } = await sleepThroughLease(cluster, { ends, onCall: withoutFence });
		assert.equal(output, "early\nlate\n");
		if (ends) assert.equal(after?.status, "succeeded");
	};
	// It shows that the test above can fail.
	withCluster(`without the fence it could store ${what}`, withoutFenceTest, inFull(test));
}

/** Makes every writing call of a node fail. */
function createOutage() {
	let refused = 0;
	let broken = false;
	return {
		onCall: (method: string) => {
			if (!broken || ["find", "get", "count"].includes(method)) return;
			refused += 1;
			throw new SvcError("SVC_UNAVAILABLE", "the disk is full", { facts: { refused: true } });
		},
		begin: () => {
			broken = true;
		},
		/** Once so many calls were refused. */
		async endAfter(calls: number) {
			while (refused < calls) await new Promise((resolve) => setTimeout(resolve, 2));
			broken = false;
		},
	};
}

withCluster("a run goes on over an outage of the storage, and its output and result are stored", async (cluster) => {
	const outage = createOutage();
	// The outage must end before the lease does.
	const { node, id, say, end } = await startStubborn(cluster, outage.onCall, 5);
	outage.begin();
	say();
	await outage.endAfter(3);
	outage.begin();
	end();
	await outage.endAfter(6);
	const ended = await node.settled(id);
	assert.equal(ended.status, "succeeded");
	const chunks = await cluster.storage.find("output_chunk", { where: { execution_id: id } });
	assert.equal(chunks.map(({ data }) => data).join(""), "early\nlate\n");
});

withCluster("a run that renews its lease while another node is about to end it keeps its token", async (cluster) => {
	const { storage } = cluster;
	let callsSince = -1;
	let id: string | undefined;
	const { submit } = await cluster.startNode([], async (method, [first]) => {
		if (callsSince >= 0) callsSince += 1;
		// The moment between finding the execution and ending it.
		if (callsSince >= 0 || id === undefined || method !== "write" || !isAbout(first, id)) return;
		callsSince = 0;
		await storage.update("execution", id, { fence: "renewed", lease_expires_at: toTimestamp(clock.now() + 60_000_000) });
	});
	const left = await leaveBehind(cluster, { submit }, ["scheduled", "running"]);
	const { liveaction_id } = (await storage.get("execution", left)) as ExecutionEntity;
	const timestamp = toTimestamp(clock.now());
	const token = {
		id: liveaction_id,
		token_hash: "00",
		user: "maria",
		expiry: toTimestamp(clock.now() + 86_400_000_000),
		service: true,
		created_at: timestamp,
		metadata: {},
		subject: null,
		session: null,
	};
	await storage.insert("token", [token]);
	id = left;
	// Whatever the node meant to do to it is done when it has looked a few times more.
	while (callsSince < 50) await new Promise((resolve) => setTimeout(resolve, 2));
	assert.equal((await storage.get("execution", left))?.status, "running");
	assert.notEqual(await storage.get("token", liveaction_id), undefined);
});

/** Whether one of the operations changes this execution. */
function isAbout(operations: unknown, id: string): boolean {
	return (operations as readonly WriteOperation[]).some((operation) => "update" in operation && operation.id === id);
}

withCluster("what no node runs although one holds it is ended: leases are renewed for what really runs", async (cluster) => {
	const node = await cluster.startNode([], undefined, unlosable);
	const other = await node.submit({ outcome: "hang" });
	await node.settled(other.id, "running");
	const id = await leaveBehind(cluster, node, ["scheduled", "running"]);
	await cluster.storage.update("execution", id, { owner: node.engine.nodeId });
	assert.equal((await node.settled(id)).status, "abandoned");
	await node.engine.executions.cancel(other.id, principal);
	assert.equal((await node.settled(other.id)).status, "canceled");
});

test.run();
