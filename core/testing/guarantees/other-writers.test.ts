import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { defineRunner, type ExecutionEntity, isSvcError, type RunContext, type RunResult, type Storage } from "../../contract/index.ts";
import { type NodesTest, type TestNode, until, within, withNodes } from "../../kernel/nodes/nodes.test-support.ts";
import { principal } from "../engine/engine.test-support.ts";
import { createOtherWriter, type OtherWriter } from "../engine/other-writer.test-support.ts";
import { createExecution } from "../storage/fixtures.ts";

// Between the read and the write of a node another node may change the same record. Here one does, each time: what it wrote must stay.

interface Scene {
	readonly node: TestNode;
	/** Of the other writer: what it does is no call of the node. */
	readonly storage: Storage;
	readonly other: OtherWriter;
	readonly startNode: NodesTest["startNode"];
}

const ended: RunResult = { succeeded: true, result: {} };

/** A runner that does what a test says. */
function flow(run: (context: RunContext) => Promise<RunResult>, recover: () => Promise<RunResult> = async () => ended) {
	return defineRunner("flow", () => ({
		description: "Does what a test says.",
		capabilities: { workflow: true, recovery: true, cancellation: true, streaming: true },
		parameters: {},
		run,
		recover,
	}))();
}

/** Seconds; long enough that no node takes over by itself. */
const lease = 60;

function withOther(name: string, body: (scene: Scene) => Promise<void>, runner = flow(async () => ended)) {
	test(name, () =>
		withNodes(async ({ startNode, storage }) => {
			const other = createOtherWriter();
			const options = { scheduler: { lease, poll_interval: 0.05 }, actionrunner: { graceful_shutdown: false } };
			const node = await startNode({ onCall: other.onCall, runners: [inquirer(), runner], options });
			await node.engine.actions.create({ name: "flow", runner_type: "flow" });
			await body({ node, storage, other, startNode });
		}),
	);
}

/** How another node takes a record over. */
const taken = { owner: "other", fence: "other", lease_expires_at: "2100-01-01T00:00:00.000000Z" } as const;
const submitFlow = ({ submit }: TestNode) => submit({}, { action: "default.flow" });
const canceled = { status: "canceled", end_timestamp: "2030-01-01T00:00:00.000000Z", owner: null, fence: null, queue: null } as const;

/** Runs of which another node takes the execution over at a certain write; what the first node's run was told. */
function withTakeover(
	name: string,
	{ part, run }: { readonly part: object; readonly run: (context: RunContext, scene: Scene) => Promise<RunResult> },
	check: (execution: ExecutionEntity, scene: Scene) => Promise<void> | void,
) {
	let begin = async (_context: RunContext) => ended;
	const runner = flow((context) => begin(context));
	withOther(
		name,
		async (scene) => {
			const { node, storage, other } = scene;
			begin = (context) => {
				other.before("execution", { ...part }, () => storage.update("execution", context.execution_id, taken));
				return run(context, scene);
			};
			const { id } = await submitFlow(node);
			await until(other.hasCome, "another node takes the run over");
			await node.stop();
			const execution = (await storage.get("execution", id)) as ExecutionEntity;
			assert.deepEqual([execution.status, execution.fence], ["running", "other"]);
			await check(execution, scene);
		},
		runner,
	);
}

withTakeover(
	"the end of a run is not stored over the run of another node",
	{ part: { status: "succeeded" }, run: async () => ended },
	({ result }) => assert.equal(result, null),
);

withTakeover(
	"the state of a run is not stored over that of another node",
	{
		part: {},
		async run({ saveState }) {
			await assert.rejects(saveState({ mine: true }), (error) => isSvcError(error, "SVC_CONFLICT"));
			return ended;
		},
	},
	({ run_state }) => assert.notEqual(JSON.stringify(run_state).includes("mine"), true),
);

withTakeover(
	"output of a run is not stored once another node has the run",
	{
		part: {},
		async run({ execution_id: id, emit }, { storage, other }) {
			await emit("stdout", "mine\n");
			const isStored = async () => (await storage.count("output_chunk", { execution_id: id })) > 0;
			await until(async () => other.hasCome() || (await isStored()), "the output is about to be stored");
			return ended;
		},
	},
	async ({ id }, { storage }) => assert.equal(await storage.count("output_chunk", { execution_id: id }), 0),
);

let runs = 0;
const counted = () =>
	flow(async () => {
		runs += 1;
		return ended;
	});

withOther(
	"an execution that is canceled just before its run begins does not run",
	async ({ node, storage, other }) => {
		runs = 0;
		const { id } = await node.submit({}, { action: "default.flow", delay: 20 });
		other.before("execution", { status: "running" }, () => storage.update("execution", id, canceled));
		await until(other.hasCome, "the run is about to begin");
		await node.stop();
		assert.deepEqual([(await storage.get("execution", id))?.status, runs], ["canceled", 0]);
	},
	counted(),
);

/** Keeps a state and pauses; goes on with an end. */
const pausing = () =>
	flow(
		async ({ saveState, request, pausing: asked }) => {
			await saveState({});
			await request("pause");
			if (!asked.aborted) await new Promise((resolve) => asked.addEventListener("abort", resolve));
			return { ...ended, status: "paused" };
		},
		async () => {
			runs += 1;
			return ended;
		},
	);

withOther(
	"a pause is not stored over the run of another node",
	async ({ node, storage, other }) => {
		other.before("execution", { status: "paused" }, async () => storage.update("execution", id, taken));
		const { id } = await submitFlow(node);
		await until(other.hasCome, "the run is about to pause");
		await node.stop();
		const execution = await storage.get("execution", id);
		assert.deepEqual([execution?.status, execution?.fence], ["pausing", "other"]);
	},
	pausing(),
);

withOther(
	"a workflow does not pause when the answer that it waits for arrives in the same moment",
	async ({ node, storage, other }) => {
		const context = { user: "maria" };
		other.before("execution", { status: "paused" }, async () => storage.update("execution", id, { stirred: "now", context }));
		const { id } = await submitFlow(node);
		const { log } = await within(10, node.settled(id, "succeeded"));
		assert.ok(!log.some(({ status }) => status === "paused"));
	},
	pausing(),
);

withOther(
	"a paused execution is not resumed once it has been canceled",
	async ({ node, storage, other }) => {
		runs = 0;
		const { id } = await submitFlow(node);
		await node.settled(id, "paused");
		other.before("execution", { status: "running" }, () => storage.update("execution", id, canceled));
		await node.engine.executions.setStatus(id, { status: "resuming" }, principal);
		await until(other.hasCome, "the run is about to go on");
		await node.stop();
		assert.deepEqual([(await storage.get("execution", id))?.status, runs], ["canceled", 0]);
	},
	pausing(),
);

/** Goes on without its node when that stops. */
const lasting = () =>
	flow(
		async ({ saveState, signal }) => {
			await saveState({});
			if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
			return { ...ended, status: "running" };
		},
		async () => {
			runs += 1;
			return ended;
		},
	);

withOther(
	"a node that stops does not release what another node has taken over",
	async ({ node, storage, other }) => {
		const { id } = await submitFlow(node);
		await until(async () => (await storage.get("execution", id))?.run_state !== null, "the run has kept its state");
		other.before("execution", { owner: null }, () => storage.update("execution", id, taken));
		await node.stop();
		const execution = await storage.get("execution", id);
		assert.deepEqual([execution?.status, execution?.owner, other.hasCome()], ["running", "other", true]);
	},
	lasting(),
);

for (const [what, change] of [
	["that another node has taken over", taken],
	["whose lease its holder has renewed", { owner: "other", lease_expires_at: taken.lease_expires_at }],
] as const) {
	withOther(
		`an execution is not taken over ${what} since it was read`,
		async ({ node, storage, startNode }) => {
			runs = 0;
			const { id } = await submitFlow(node);
			await until(async () => (await storage.get("execution", id))?.run_state !== null, "the run has kept its state");
			await node.stop();
			assert.equal((await storage.get("execution", id))?.owner, null);
			const other = createOtherWriter();
			other.before("execution", {}, () => storage.update("execution", id, change));
			const late = await startNode({ onCall: other.onCall, runners: [lasting()], options: { scheduler: { lease } } });
			assert.equal(other.hasCome(), true);
			await late.stop();
			assert.deepEqual([(await storage.get("execution", id))?.owner, runs], ["other", 0]);
		},
		lasting(),
	);
}

for (const [what, change, status] of [
	["ended it", { ...canceled, status: "succeeded" }, "succeeded"],
	["renewed its lease", { lease_expires_at: "2100-01-01T00:00:00.000000Z" }, "running"],
] as const) {
	test(`a run is not ended as abandoned whose holder has just ${what}`, () =>
		withNodes(async ({ startNode, storage }) => {
			const left = { owner: "gone", fence: "gone", lease_expires_at: "2020-01-01T00:00:00.000000Z" };
			const execution = createExecution({ status: "running", runner_name: "scripted", attempt: 1, ...left });
			await storage.insert("execution", [execution]);
			const other = createOtherWriter();
			other.before("execution", { status: "abandoned" }, () => storage.update("execution", execution.id, change));
			const node = await startNode({ onCall: other.onCall });
			await until(other.hasCome, "the run is about to be ended");
			await node.stop();
			assert.equal((await storage.get("execution", execution.id))?.status, status);
		}));
}

withOther("an execution that ends is not canceled", async ({ node, storage, other }) => {
	const { id } = await node.submit({}, { action: "default.flow", delay: 600_000 });
	other.before("execution", { status: "canceled" }, () => storage.update("execution", id, { ...canceled, status: "succeeded" }));
	assert.match((await node.engine.executions.cancel(id, principal)).refused ?? "", /cannot be canceled in state "succeeded"/);
	assert.equal((await storage.get("execution", id))?.status, "succeeded");
});

withOther("an execution that has ended takes no other status", async ({ node, storage }) => {
	const { id } = await submitFlow(node);
	await node.settled(id);
	for (const status of ["failed", "canceled", "running"] as const)
		await assert.rejects(node.engine.executions.setStatus(id, { status }, principal), /is already completed with "succeeded"/);
	assert.equal((await storage.get("execution", id))?.status, "succeeded");
});

withOther("a question that is answered is not canceled with its workflow", async ({ node, storage, other }) => {
	const { snapshot_id } = await node.submit({}, { action: "default.flow", delay: 600_000 });
	const flow = createExecution({ status: "paused", runner_name: "flow", attempt: 1, fence: "f", snapshot_id });
	const question = createExecution({ status: "pending", runner_name: "inquirer", parent_id: flow.id, snapshot_id });
	await storage.insert("execution", [flow, question]);
	const answer = { ...canceled, status: "succeeded" } as const;
	other.before("execution", { status: "canceled" }, () => storage.update("execution", question.id, answer));
	await node.engine.executions.setStatus(flow.id, { status: "failed" }, principal);
	assert.equal(other.hasCome(), true);
	assert.equal((await storage.get("execution", question.id))?.status, "succeeded");
	assert.equal((await storage.get("execution", flow.id))?.status, "failed");
});

withOther(
	"an execution that is canceled in its queue is not started",
	async ({ node, storage, other }) => {
		runs = 0;
		const input = { name: "limit", pack: "default", resource_ref: "default.flow", policy_type: "action.concurrency" };
		const { ref } = await node.engine.policies.create({ ...input, parameters: { threshold: 0 } });
		const { id } = await submitFlow(node);
		await node.settled(id, "delayed");
		other.before("execution", { status: "scheduled" }, () => storage.update("execution", id, canceled));
		await node.engine.policies.update(ref, { ...input, parameters: { threshold: 1 } });
		await until(other.hasCome, "the execution is about to start");
		await node.stop();
		assert.deepEqual([(await storage.get("execution", id))?.status, runs], ["canceled", 0]);
	},
	counted(),
);

withOther("a change of a policy keeps what a look at its queue has counted", async ({ node: { engine }, storage, other }) => {
	const input = { name: "limit", pack: "default", resource_ref: "default.scripted", policy_type: "action.concurrency" };
	const { id, ref, turn } = await engine.policies.create({ ...input, parameters: { threshold: 1 } });
	other.before("policy", {}, () => storage.update("policy", id, { turn: turn + 1 }));
	await engine.policies.update(ref, { ...input, parameters: { threshold: 2 } });
	const changed = await engine.policies.get(ref);
	assert.deepEqual([changed.turn, changed.parameters["threshold"]], [turn + 2, 2]);
});

const happening = "default.happening";
const rule = { name: "one", trigger: { type: happening }, action: { ref: "default.scripted" }, enabled: true };
/** An event is stored before rules with such criteria are looked at. */
const criteria = { "trigger.n": { type: "nequals", pattern: "{{ svckv.system.none | default(7) }}" } };

async function createRule({ engine }: TestNode, fields: object = {}) {
	await engine.triggers.types.create({ pack: "default", name: "happening" });
	return (await engine.rules.create({ ...rule, ...fields }, principal)).rule;
}

withOther("a change of a rule that another request has changed is refused", async ({ node, storage, other }) => {
	const { id, ref } = await createRule(node);
	other.before("rule", {}, () => storage.update("rule", id, { description: "theirs", revision: "other" }));
	const change = node.engine.rules.update(ref, { ...rule, description: "mine" }, principal);
	await assert.rejects(change, /was changed concurrently; try again/);
	assert.equal((await node.engine.rules.get(ref)).rule.description, "theirs");
});

for (const [what, fields] of [
	["acts on an event", { criteria }],
	["fails at an event", { criteria: { ...criteria, "trigger.m": { type: "contains", pattern: "x" } } }],
] as const) {
	withOther(`no rule ${what} that another node has taken over`, async ({ node, storage, other }) => {
		await createRule(node, fields);
		let id = "";
		other.before("trigger_instance", {}, async () => {
			const [event] = await storage.find("trigger_instance", { where: { trigger: happening } });
			id = event?.id ?? "";
			await storage.update("trigger_instance", id, { ...taken, attempt: 2 });
		});
		await node.engine.dispatcher.dispatch({ trigger: happening, payload: { n: 1, m: 1 } });
		await until(other.hasCome, "the rule is about to act");
		await node.stop();
		const event = await storage.get("trigger_instance", id);
		assert.deepEqual([event?.status, event?.fence], ["processing", "other"]);
		assert.equal(await storage.count("rule_enforcement", {}), 0);
		assert.equal(await storage.count("execution", {}), 0);
	});
}

withOther("a change of an item tells of the value that it has replaced, also of one that came late", async ({ node, storage, other }) => {
	await node.engine.datastore.set("word", { value: "first" }, principal);
	const [item] = await storage.find("key_value", {});
	const late = { value: "theirs", updated_at: "2030-01-01T00:00:00.000000Z" };
	other.before("key_value", {}, () => storage.update("key_value", item?.id ?? "", late));
	await node.engine.datastore.set("word", { value: "mine" }, principal);
	const [event] = await storage.find("trigger_instance", { where: { trigger: "core.svc.key_value_pair.value_change" } });
	assert.match(JSON.stringify(event?.payload["old_object"]), /theirs/);
});

withOther("a rotation of keys leaves a secret as it was set meanwhile", async ({ node, storage, other }) => {
	const { datastore } = node.engine;
	await datastore.set("word", { value: "first", secret: true }, principal);
	other.before("key_value", {}, () => datastore.set("word", { value: "second", secret: true }, principal));
	await datastore.rotate({}, principal);
	assert.equal(other.hasCome(), true);
	assert.equal((await datastore.get("word", { form: "decrypted" }, principal)).value, "second");
	assert.equal(await storage.count("key_value", {}), 1);
});

withOther("a change of a trigger type that another request has renamed is refused", async ({ node: { engine }, storage, other }) => {
	const { id } = await engine.triggers.types.create({ pack: "default", name: "happening" });
	other.before("trigger_type", {}, () => storage.update("trigger_type", id, { name: "other", ref: "default.other" }));
	const change = engine.triggers.types.update(happening, { pack: "default", name: "happening", description: "mine" });
	await assert.rejects(change, /was changed concurrently; try again/);
});

test.run();
