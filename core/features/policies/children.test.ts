import * as assert from "node:assert/strict";
import { test } from "uvu";
import {
	type Child,
	defineRunner,
	type ExecutionEntity,
	type JsonObject,
	type RunContext,
	type RunResult,
	SvcError,
	type WriteOperation,
} from "../../contract/index.ts";
import { toChildId } from "../../kernel/executions/child-identity.ts";
import { type NodesTest, type TestNode, until, within, withNodes } from "../../kernel/nodes/nodes.test-support.ts";
import { flowRunner } from "../../kernel/runs/flow-runner.test-support.ts";
import { exceptOn, postgresBackends } from "../../testing/backends/backend-names.test-support.ts";
import { principal, type TestEngineOptions } from "../../testing/engine/engine.test-support.ts";
import { flaky } from "../../testing/engine/flaky.test-support.ts";
import { deafBus } from "../../testing/engine/shared-bus.test-support.ts";
import type { OnCall } from "../../testing/engine/shared-storage.test-support.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

type Script = (context: RunContext) => Promise<RunResult>;

/** A runner that does what the test says, also when it is to go on. */
function parentRunner(script: Script) {
	return defineRunner("parent", () => ({
		description: "Does what a test says.",
		capabilities: { cancellation: true, recovery: true },
		parameters: { timeout: { type: "number", default: 60 } },
		run: script,
		recover: script,
	}))();
}

interface NodeOptions extends Pick<TestEngineOptions, "only" | "eventBus"> {
	readonly script?: Script;
	readonly onCall?: OnCall;
	readonly pollInterval?: number;
	readonly poolSize?: number;
}

/** A workflow that fails, and goes on where a policy has it run again. */
async function failFirst({ context }: RunContext): Promise<void> {
	if (context["policies"] === undefined) throw new Error("the first run fails");
}

const idle: Script = async () => ({ succeeded: true, result: {} });

async function startParents({ startNode }: NodesTest, { script = idle, pollInterval = 60, poolSize = 50, ...rest }: NodeOptions = {}) {
	const node = await startNode({
		runners: [parentRunner(script), flaky(), flowRunner({ onWork: failFirst })],
		options: { scheduler: { poll_interval: pollInterval }, actionrunner: { actions_pool_size: poolSize } },
		...rest,
	});
	await node.engine.actions.create({ name: "parent", runner_type: "parent" }).catch(() => undefined);
	await node.engine.actions.create({ name: "flaky", runner_type: "flaky" }).catch(() => undefined);
	return node;
}

const again = ({ engine }: TestNode, parameters: JsonObject, type = "retry") =>
	engine.policies.create({ name: type, pack: "default", resource_ref: "default.flaky", policy_type: `action.${type}`, parameters });

const onFailure = (more: JsonObject = {}) => ({ retry_on: "failure", ...more });
const flakyChild = (parameters: JsonObject = {}, key = "one") => ({ key, action: "default.flaky", parameters });
const submitParent = (node: TestNode) => node.submit({}, { action: "default.parent" });

/** Executions below one, the oldest first. */
const below = ({ storage }: Pick<NodesTest, "storage">, id: string) =>
	storage.find("execution", { where: { parent_id: id }, orderBy: [["start_timestamp", "asc"]] });

const statusesOf = (executions: readonly ExecutionEntity[]) => executions.map(({ status }) => status);
type Body = (nodes: NodesTest) => Promise<void>;
const limited = (name: string, body: Body, register: typeof exceptOnPostgres = test) => register(name, () => within(20, withNodes(body)));
/** What happens on one node. */
const onOneNode = (name: string, body: Body) => limited(name, body, exceptOnPostgres);

/** All that a run is told of its only child, until that has ended. */
async function readChanges({ children }: RunContext): Promise<Child[]> {
	const told: Child[] = [];
	for await (const child of children.changes()) {
		told.push(child);
		if (child.hasEnded) break;
	}
	return told;
}

/** Starts a child, and says everything that it is told of it. */
function tellAll(parameters: JsonObject): Script {
	return async (context) => {
		const { children, saveState } = context;
		await saveState({});
		const id = await children.start(flakyChild(parameters));
		const told = await readChanges(context);
		const last = told.at(-1);
		const [found, ended, all] = [await children.find("one"), await children.ended(id), await children.list()];
		assert.deepEqual([found, ended, ...all], [last, last, last]);
		assert.ok(told.every((child) => child.id === id && child.key === "one"));
		const finals = told.filter(({ status }) => ["succeeded", "failed", "timeout", "canceled", "abandoned"].includes(status));
		return {
			succeeded: true,
			result: {
				ends: finals.map(({ status }) => status),
				result: await children.result(id),
				last: [last?.execution_id ?? "", last?.liveaction_id ?? ""],
			},
		};
	};
}

for (const [name, max_retry_count, end, statuses] of [
	["succeeds", 3, "succeeded", ["failed", "failed", "succeeded"]],
	["has failed as often as the policy says", 1, "failed", ["failed", "failed"]],
] as const) {
	onOneNode(`a child that is run again is one child to its parent, which ends when it ${name}`, async (nodes) => {
		const node = await startParents(nodes, { script: tellAll({ failures: 2 }) });
		await again(node, onFailure({ max_retry_count }));
		const { id } = await submitParent(node);
		const parent = await node.settled(id);
		const children = await below(nodes, id);
		const last = children.at(-1);
		const result = { run: children.length - 1, stdout: `run ${children.length - 1}` };
		assert.deepEqual(parent.result, { ends: [end], result, last: [last?.id, last?.liveaction_id] }, JSON.stringify(parent.result));
		assert.deepEqual(statusesOf(children), statuses);
		assert.equal(children[0]?.id, toChildId(id, "one"));
		assert.deepEqual(
			children.map(({ followed_by }) => followed_by),
			[...children.slice(1).map((child) => child.id), null],
		);
		const named = { execution_id: id, user: "maria", pack: "default", key: "one", depth: 1 };
		assert.deepEqual(
			children.map(({ context }) => context["parent"]),
			children.map((_, index) => (index === 0 ? named : { ...named, follow_ups: index })),
		);
	});
}

limited("what hears nothing of others finds the ends of those that follow", async (nodes) => {
	const parents = await startParents(nodes, { script: tellAll({ failures: 3 }), eventBus: deafBus(), pollInterval: 0.02, poolSize: 1 });
	await startParents(nodes, { script: tellAll({ failures: 3 }), eventBus: deafBus(), pollInterval: 0.02, poolSize: 1 });
	await again(parents, onFailure({ max_retry_count: 5 }));
	await until(async () => (await nodes.storage.count("policy", {})) === 1, "the policy is there");
	await new Promise((resolve) => setTimeout(resolve, 100));
	const ids = await Promise.all([0, 1, 2].map(async () => (await submitParent(parents)).id));
	for (const id of ids) {
		const { result } = await parents.settled(id);
		assert.deepEqual([result?.["ends"], (await below(nodes, id)).length], [["succeeded"], 4], JSON.stringify(result));
	}
});

onOneNode("a child is canceled while it is delayed before it is run again", async (nodes) => {
	const script: Script = async ({ children }) => {
		const id = await children.start(flakyChild({ failures: 9 }));
		// Of several changes at once only the last is told: the one in its place may be delayed when it is first seen.
		for await (const { hasEnded, context } of children.changes()) {
			assert.equal(hasEnded, false);
			if (context["policies"] !== undefined || (await children.find("one"))?.context["policies"]) break;
		}
		await children.cancel(id);
		const { status } = await children.ended(id);
		await children.cancel(id);
		return { succeeded: true, result: { status } };
	};
	const node = await startParents(nodes, { script });
	await again(node, onFailure({ delay: 60 }));
	const { id } = await submitParent(node);
	assert.deepEqual((await node.settled(id)).result, { status: "canceled" });
	assert.deepEqual(statusesOf(await below(nodes, id)), ["failed", "canceled"]);
});

onOneNode("a cancel that comes with a failure ends what follows it", async (nodes) => {
	const script: Script = async ({ children }) => {
		const id = await children.start(flakyChild({ hangs: 9 }));
		await until(async () => (await children.find("one"))?.status === "running", "it runs");
		await children.cancel(id);
		return { succeeded: true, result: { status: (await children.ended(id)).status } };
	};
	let node: TestNode | undefined;
	let failing: string | undefined;
	const onCall: OnCall = async (method, [, id, patch]) => {
		if (method !== "update" || id !== failing || (patch as { status?: string }).status !== "canceling") return;
		failing = undefined;
		await node?.engine.executions.setStatus(id as string, { status: "failed" }, principal);
	};
	node = await startParents(nodes, { script, onCall });
	await again(node, onFailure());
	const { id } = await submitParent(node);
	failing = toChildId(id, "one");
	const { result } = await node.settled(id);
	assert.deepEqual(result, { status: "canceled" });
	assert.deepEqual(statusesOf(await below(nodes, id)), ["failed", "canceled"]);
});

limited("a child of a node that went away is run again, and whoever goes on with the parent sees no failure", async (nodes) => {
	const first = await startParents(nodes, { script: tellAll({ hangs: 1 }) });
	await again(first, { action: "retry" }, "crash");
	const { id } = await submitParent(first);
	const child = toChildId(id, "one");
	await until(async () => (await nodes.storage.get("execution", child))?.status === "running", "it runs");
	first.door.shut();
	const second = await startParents(nodes, { script: tellAll({ hangs: 1 }), pollInterval: 0.1 });
	const parent = await second.settled(id);
	const children = await below(nodes, id);
	assert.deepEqual(parent.result?.["ends"], ["succeeded"], JSON.stringify(parent.result));
	assert.deepEqual(statusesOf(children), ["abandoned", "succeeded"]);
	first.door.open();
	await first.engine.drain();
	assert.equal((await below(nodes, id)).length, 2);
});

limited("a failure whose answer was lost, or that the storage was away for, is followed once and seen by nobody", async (nodes) => {
	let faults = 0;
	const isFollowed = (operation: WriteOperation) =>
		"update" in operation && operation.update === "execution" && typeof operation.patch["followed_by"] === "string";
	const onCall: OnCall = (method, [operations]) => {
		if (method !== "write" || !(operations as WriteOperation[]).some(isFollowed)) return;
		faults += 1;
		if (faults % 3 === 1) throw new SvcError("SVC_UNAVAILABLE", "away");
		if (faults % 3 === 2) return "lost";
	};
	const node = await startParents(nodes, { script: tellAll({ failures: 2 }), onCall, pollInterval: 0.1 });
	await again(node, onFailure());
	const { id } = await submitParent(node);
	const parent = await node.settled(id);
	assert.deepEqual(parent.result?.["ends"], ["succeeded"], JSON.stringify(parent.result));
	assert.deepEqual(statusesOf(await below(nodes, id)), ["failed", "failed", "succeeded"]);
	assert.ok(faults >= 3, String(faults));
});

onOneNode("an execution that a client starts below a run over the API is not run again, whatever its context says", async (nodes) => {
	const script: Script = async ({ children }) => {
		await until(async () => (await children.list()).length === 3, "all are there");
		const ends = await Promise.all((await children.list()).map(({ id }) => children.ended(id)));
		return { succeeded: true, result: { ends: ends.map(({ key, status }) => `${key} ${status}`) } };
	};
	const node = await startParents(nodes, { script });
	await again(node, onFailure());
	const { id } = await submitParent(node);
	for (const more of [{}, { key: "one" }, { key: "one", follow_ups: 1 }]) {
		const request = { action: "default.flaky", parameters: { failures: 9 }, context: { parent: { execution_id: id, ...more } } };
		await node.engine.executions.submit(request, principal);
	}
	const { result } = await node.settled(id);
	assert.deepEqual(result?.["ends"], ["undefined failed", "undefined failed", "undefined failed"]);
	assert.deepEqual(statusesOf(await below(nodes, id)), ["failed", "failed", "failed"]);
});

onOneNode("policies are not read for children that succeed, or have none", async (nodes) => {
	let asked = 0;
	let failures = 9;
	const script: Script = async ({ children }) => {
		await children.ended(await children.start(flakyChild({ failures })));
		return { succeeded: true, result: {} };
	};
	// A node looks now and then which actions have policies, whatever it runs.
	const onCall: OnCall = (method, [kind, query]) => {
		const { where = {} } = (query ?? {}) as { readonly where?: object };
		if (method === "find" && kind === "policy" && "resource_ref" in where) asked += 1;
	};
	const node = await startParents(nodes, { script, onCall, pollInterval: 0.05 });
	const readPolicies = async () => {
		asked = 0;
		await node.settled((await submitParent(node)).id);
		return asked;
	};
	assert.equal(await readPolicies(), 0);
	await again(node, onFailure({ max_retry_count: 1 }));
	failures = 0;
	assert.equal(await readPolicies(), 0);
	failures = 1;
	assert.equal(await readPolicies(), 1);
});

onOneNode("a pause and what comes after it are asked of the execution that is under way", async (nodes) => {
	const steps = [{ key: "step", action: "default.flaky", parameters: { hangs: 9 } }];
	const script: Script = async ({ children }) => {
		const id = await children.start({ key: "one", action: "default.flow", parameters: { steps } });
		const has = (status: string) => until(async () => (await children.find("one"))?.status === status, `it is ${status}`);
		await until(async () => (await children.find("one"))?.execution_id !== id, "it runs again");
		await has("running");
		await children.pause(id);
		const { status, execution_id = "" } = (await children.find("one")) ?? {};
		await children.cancel(execution_id);
		return { succeeded: true, result: { status: status ?? "", end: (await children.ended(id)).status } };
	};
	const node = await startParents(nodes, { script });
	await node.engine.actions.create({ name: "flow", runner_type: "flow" });
	const policy = { name: "flows", pack: "default", resource_ref: "default.flow", policy_type: "action.retry" };
	await node.engine.policies.create({ ...policy, parameters: onFailure() });
	const { id } = await submitParent(node);
	const { result } = await node.settled(id);
	assert.deepEqual(result, { status: "pausing", end: "canceled" }, JSON.stringify(result));
	assert.deepEqual(statusesOf(await below(nodes, id)), ["failed", "canceled"]);
});

test.run();
