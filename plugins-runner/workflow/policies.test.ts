// test-timeout: 300
import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import type { ExecutionEntity, JsonObject } from "../../core/contract/index.ts";
import { principal, startEngine, type TestEngine } from "../../core/testing/engine/engine.test-support.ts";
import { flaky } from "../../core/testing/engine/flaky.test-support.ts";
import { brief, type Counts } from "../../core/testing/engine/policies.test-support.ts";
import { deafBus } from "../../core/testing/engine/shared-bus.test-support.ts";
import { createSharedStorage, type Door, type SharedStorage } from "../../core/testing/engine/shared-storage.test-support.ts";
import { workflow } from "./index.ts";

type Node = TestEngine & { readonly door: Door };

interface Scene extends SharedStorage {
	readonly counts: Counts;
	/** A node of its own that hears nothing of the others. */
	startNode(): Promise<Node>;
}

const again = {
	next: [
		{ when: "<% succeeded() %>", publish: [{ said: "<% result().stdout %>" }], do: "after" },
		{ when: "<% failed() %>", publish: [{ said: "<% result().stdout %>" }], do: "remedy" },
	],
};

const definitions: Readonly<Record<string, object>> = {
	once: {
		version: 1,
		input: ["failures", "hangs"],
		tasks: {
			one: { action: "tasks.flaky", input: { failures: "<% ctx(failures) %>", hangs: "<% ctx(hangs) %>" }, ...again },
			after: { action: "tasks.flaky" },
			remedy: { action: "tasks.flaky", next: [{ do: "fail" }] },
		},
		output: [{ said: "<% ctx(said) %>" }],
	},
	outer: {
		version: 1,
		tasks: { inner: { action: "tasks.once", input: { failures: 1 }, next: [{ publish: [{ said: "<% result().output.said %>" }] }] } },
		output: [{ said: "<% ctx(said) %>" }],
	},
	items: {
		version: 1,
		tasks: {
			all: {
				with: { items: "<% list(a, b, c, d, e, f) %>" },
				action: "tasks.counted",
				input: { name: "<% item() %>" },
				next: [{ do: "after" }],
			},
			after: { action: "tasks.counted", input: { name: "after" } },
		},
	},
};

async function writePack(packs: string): Promise<void> {
	const directory = join(packs, "tasks");
	await mkdir(join(directory, "actions", "workflows"), { recursive: true });
	const write = (path: string, content: object) => writeFile(join(directory, path), JSON.stringify(content));
	await write("pack.yaml", { ref: "tasks", name: "tasks", description: "Tasks.", version: "1.0.0", author: "tests" });
	for (const name of ["flaky", "counted"]) await write(`actions/${name}.yaml`, { name, runner_type: name });
	const parameters = { failures: { type: "integer", default: 0 }, hangs: { type: "integer", default: 0 } };
	for (const [name, definition] of Object.entries(definitions)) {
		await write(`actions/${name}.yaml`, { name, runner_type: "workflow", entry_point: `workflows/${name}.yaml`, parameters });
		await write(`actions/workflows/${name}.yaml`, definition);
	}
}

function scene(name: string, body: (scene: Scene) => Promise<void>): void {
	test(name, async () => {
		const packs = await mkdtemp(join(tmpdir(), "svc-tasks-"));
		const shared = createSharedStorage();
		const counts = brief();
		const nodes: Node[] = [];
		try {
			await writePack(packs);
			await body({
				...shared,
				counts,
				async startNode() {
					const door = shared.createDoor();
					const options = { packs: [packs], scheduler: { lease: 0.5, poll_interval: 0.02 } };
					const runners = [workflow(), flaky(), counts.runner];
					const node = { ...(await startEngine({ storage: door.plugin, eventBus: deafBus(), runners, options })), door };
					nodes.push(node);
					return node;
				},
			});
		} finally {
			for (const { door, stop } of nodes) {
				door.open();
				await stop();
			}
			await shared.release();
			await rm(packs, { recursive: true, force: true });
		}
	});
}

function addPolicy({ engine }: TestEngine, action: string, type: string, parameters: JsonObject) {
	return engine.policies.create({ name: type, pack: "default", resource_ref: action, policy_type: `action.${type}`, parameters });
}

const addRetry = (node: TestEngine, parameters: JsonObject = {}, action = "tasks.flaky") =>
	addPolicy(node, action, "retry", { retry_on: "failure", ...parameters });

const start = ({ submit }: TestEngine, parameters: JsonObject = {}, action = "tasks.once") => submit(parameters, { action });

/** Executions below one, with the task that each belongs to, the oldest first. */
async function below({ storage }: Pick<Scene, "storage">, { id }: Pick<ExecutionEntity, "id">): Promise<readonly ExecutionEntity[]> {
	return storage.find("execution", { where: { parent_id: id }, orderBy: [["start_timestamp", "asc"]] });
}

const toTold = ({ context, status }: ExecutionEntity) => `${(context["workflow"] as JsonObject)["task_name"]} ${status}`;

/** The first execution below one that is so, once there is one. */
async function reached(scene: Scene, parent: Pick<ExecutionEntity, "id">, told: string): Promise<ExecutionEntity> {
	for (;;) {
		const found = (await below(scene, parent)).find((child) => toTold(child) === told);
		if (found !== undefined) return found;
		await delay(2);
	}
}

scene("a task whose action is run again by a policy goes on with what comes of the last run", async (scene) => {
	const node = await scene.startNode();
	await addRetry(node);
	const workflow = await start(node, { failures: 2 });
	const ended = await node.settled(workflow.id);
	assert.deepEqual([ended.status, ended.result], ["succeeded", { output: { said: "run 2" } }]);
	const children = await below(scene, workflow);
	assert.deepEqual(children.map(toTold), ["one failed", "one failed", "one succeeded", "after succeeded"]);
	const { value: tasks } = await node.engine.workflows.tasks(workflow.id);
	assert.deepEqual(
		tasks.map(({ name, status, attempts, execution_ids }) => [name, status, attempts, execution_ids]),
		[
			["one", "succeeded", 1, [children[2]?.id]],
			["after", "succeeded", 1, [children[3]?.id]],
		],
	);
});

scene("a task has failed when its policy has had it run as often as it says", async (scene) => {
	const node = await scene.startNode();
	await addRetry(node, { max_retry_count: 1 });
	const workflow = await start(node, { failures: 9 });
	const ended = await node.settled(workflow.id);
	assert.deepEqual([ended.status, ended.result?.["output"]], ["failed", { said: "run 1" }]);
	assert.deepEqual((await below(scene, workflow)).map(toTold), ["one failed", "one failed", "remedy succeeded"]);
});

scene("a workflow that is canceled ends the run that a policy has delayed", async (scene) => {
	const node = await scene.startNode();
	await addRetry(node, { delay: 100 });
	const workflow = await start(node, { failures: 1 });
	const delayed = await reached(scene, workflow, "one delayed");
	assert.equal(delayed.delay, 100_000);
	assert.equal((await node.engine.executions.get(workflow.id)).entity.status, "running");
	await node.engine.executions.cancel(workflow.id, principal);
	assert.equal((await node.settled(workflow.id)).status, "canceled");
	assert.deepEqual((await below(scene, workflow)).map(toTold), ["one failed", "one canceled"]);
});

scene("a node that dies between a failure and the next run leaves a workflow that goes on", async (scene) => {
	const first = await scene.startNode();
	await addRetry(first, { delay: 0.7 });
	const workflow = await start(first, { failures: 1 });
	await reached(scene, workflow, "one delayed");
	first.door.shut();
	const second = await scene.startNode();
	const ended = await second.settled(workflow.id);
	assert.deepEqual([ended.status, ended.result], ["succeeded", { output: { said: "run 1" } }]);
	assert.deepEqual((await below(scene, workflow)).map(toTold), ["one failed", "one succeeded", "after succeeded"]);
});

scene("a task whose node has died is run again by its policy, and the workflow sees no failure", async (scene) => {
	const first = await scene.startNode();
	await addPolicy(first, "tasks.flaky", "crash", { action: "retry" });
	const workflow = await start(first, { hangs: 1 });
	await reached(scene, workflow, "one running");
	first.door.shut();
	const second = await scene.startNode();
	const ended = await second.settled(workflow.id);
	assert.deepEqual([ended.status, ended.result], ["succeeded", { output: { said: "run 1" } }]);
	assert.deepEqual((await below(scene, workflow)).map(toTold), ["one abandoned", "one succeeded", "after succeeded"]);
});

scene("a workflow inside of one is run again as a whole", async (scene) => {
	const node = await scene.startNode();
	await addRetry(node, { max_retry_count: 1 }, "tasks.once");
	const workflow = await start(node, {}, "tasks.outer");
	const ended = await node.settled(workflow.id);
	const inner = await below(scene, workflow);
	// It fails each time: what counts the runs is told the workflow, and not its tasks.
	assert.deepEqual([ended.status, inner.map(toTold)], ["failed", ["inner failed", "inner failed"]]);
	assert.deepEqual(
		inner.map(({ context }) => context["workflow_execution"]),
		inner.map(({ id }) => id),
	);
	for (const one of inner) assert.deepEqual((await below(scene, one)).map(toTold), ["one failed", "remedy succeeded"]);
});

scene("tasks wait for the limits of their action, on any node, and the workflow goes on", async (scene) => {
	const node = await scene.startNode();
	await scene.startNode();
	await addPolicy(node, "tasks.counted", "concurrency", { threshold: 1 });
	await delay(100);
	const ids = await Promise.all([0, 1].map(async () => (await start(node, {}, "tasks.items")).id));
	for (const id of ids) {
		assert.equal((await node.settled(id)).status, "succeeded");
		assert.equal((await below(scene, { id })).length, 7);
	}
	assert.equal(scene.counts.peak.get(""), 1);
});

scene("a task that the limit of its action cancels cancels the workflow", async (scene) => {
	const node = await scene.startNode();
	await addPolicy(node, "tasks.counted", "concurrency", { threshold: 0, action: "cancel" });
	const workflow = await start(node, {}, "tasks.items");
	assert.equal((await node.settled(workflow.id)).status, "canceled");
	const told = (await below(scene, workflow)).map(toTold);
	assert.deepEqual(
		told,
		Array.from({ length: 6 }, () => "all canceled"),
	);
});

test.run();
