import * as assert from "node:assert/strict";
import { test } from "uvu";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { defineRunner, type ExecutionStatus, type JsonObject, type RunContext, type RunResult } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { toChildId } from "../../kernel/executions/child-identity.ts";
import { until, within, withNodes } from "../../kernel/nodes/nodes.test-support.ts";
import { flowRunner } from "../../kernel/runs/flow-runner.test-support.ts";
import { principal, startEngine, type TestEngine, type TestEngineOptions } from "../../testing/engine/engine.test-support.ts";
import { createSettableClock, type SettableClock } from "../../testing/engine/settable-clock.test-support.ts";

const day = 86_400;

/** A workflow whose runner has lost track of everything: it waits for nothing. */
function lostRunner(ended: string[]) {
	async function hang({ execution_id, children, journal, runnerParameters, signal }: RunContext): Promise<RunResult> {
		const asks = runnerParameters["asks"] === true;
		const start = [await children.prepare({ key: "one", action: asks ? "core.ask" : "default.scripted" })];
		if ((await journal.read()).length === 0) await journal.append({ begun: true }, { start });
		await new Promise((resolve) => signal.addEventListener("abort", resolve));
		ended.push(execution_id);
		return { succeeded: false, result: {}, ...(signal.reason.kind === "shutdown" && { status: "running" }) };
	}
	return defineRunner("lost", () => ({
		description: "Starts a step, and does nothing more.",
		parameters: { asks: { type: "boolean", default: false }, timeout: { type: "number", default: 1_000_000 } },
		capabilities: { cancellation: true, recovery: true, workflow: true },
		run: hang,
		recover: hang,
	}))();
}

interface Scene extends TestEngine {
	readonly clock: SettableClock;
	/** Executions whose runs have ended on this node. */
	readonly ended: readonly string[];
	/** Look so many times whether something stands still. */
	look(times?: number): Promise<void>;
}

async function startScene(
	start: (options: TestEngineOptions) => Promise<TestEngine>,
	options: TestEngineOptions["options"] = {},
): Promise<Scene> {
	const ended: string[] = [];
	const clock = createSettableClock();
	const node = await start({
		clock,
		runners: [lostRunner(ended), flowRunner(), inquirer()],
		options: { garbagecollector: { sleep_delay: 0, collection_interval: 3_600 }, ...options },
	});
	for (const name of ["lost", "flow"]) await node.engine.actions.create({ name, runner_type: name }).catch(() => undefined);
	const look = async (times = 1) => {
		for (let time = 0; time < times; time += 1) assert.equal(await node.engine.retention.collect(), true);
	};
	return { ...node, clock, ended, look };
}

/** One node, whose clock the test sets. */
async function withNode(use: (node: Scene) => Promise<void>, options: TestEngineOptions["options"] = {}): Promise<void> {
	const node = await startScene(startEngine, options);
	try {
		await use(node);
	} finally {
		await node.stop();
	}
}

/** Have everything of the execution be as long ago, as several nodes go by the clock of their storage. */
async function age({ storage }: Pick<TestEngine, "storage">, id: string): Promise<void> {
	const timestamp = twoDaysAgo();
	for (const entry of await storage.find("journal_entry", { where: { execution_id: id } }))
		await storage.update("journal_entry", entry.id, { timestamp });
	for (const child of await storage.find("execution", { where: { parent_id: id } }))
		await storage.update("execution", child.id, { end_timestamp: timestamp });
	await storage.update("execution", id, { log: [{ status: "running", timestamp }] });
}

const twoDaysAgo = () => toTimestamp((Date.now() - 2 * day * 1_000) * 1_000);
const long = () => ({ started_at: twoDaysAgo() });

async function reached(node: TestEngine, id: string, status: ExecutionStatus): Promise<void> {
	await until(async () => (await node.storage.get("execution", id))?.status === status, `${id} is ${status}`);
}

/** What does not come about shows which test it was. */
const limited = (name: string, body: () => Promise<void>) => test(name, () => within(20, body()));

const statusOf = async (node: TestEngine, id: string) => (await node.storage.get("execution", id))?.status;

limited("a workflow that stands still is ended by the second look that finds it so, and its node ends the run", () =>
	withNode(async (node) => {
		const { id } = await node.submit({}, { action: "default.lost" });
		await reached(node, toChildId(id, "one"), "succeeded");
		await node.look(2);
		node.clock.set(day - 60);
		await node.look(2);
		assert.equal(await statusOf(node, id), "running");
		node.clock.set(day + 60);
		await node.look();
		assert.equal(await statusOf(node, id), "running");
		await node.look();
		const { status, result, owner } = await node.settled(id);
		assert.deepEqual([status, owner], ["failed", null]);
		assert.match(String(result?.["error"]), /^the workflow was inactive for more than 86400 seconds/);
		await until(() => node.ended.includes(id), "the run has ended");
	}),
);

limited("a workflow waits for children that have not ended, however long that takes", () =>
	withNode(async (node) => {
		const steps: JsonObject[] = [
			{ key: "works", action: "default.scripted", parameters: { outcome: "hang", timeout: 1_000_000 } },
			{ key: "delayed", action: "default.scripted", delay: 10 * day * 1_000 },
		];
		for (const step of steps) {
			const { id } = await node.submit({ steps: [step], timeout: 1_000_000 }, { action: "default.flow" });
			await reached(node, toChildId(id, String(step["key"])), step["key"] === "works" ? "running" : "delayed");
			node.clock.set(2 * day);
			await node.look(3);
			assert.equal(await statusOf(node, id), "running");
			await node.engine.executions.cancel(id, principal);
			await node.settled(id);
			node.clock.set(0);
		}
	}),
);

limited("a question counts while the workflow is paused for it, and ends with one that has not noticed it", () =>
	withNode(async (node) => {
		const paused = await node.submit({ steps: [{ key: "ask", action: "core.ask" }] }, { action: "default.flow" });
		await reached(node, paused.id, "paused");
		const lost = await node.submit({ asks: true }, { action: "default.lost" });
		await reached(node, toChildId(lost.id, "one"), "pending");
		node.clock.set(2 * day);
		await node.look(3);
		assert.equal(await statusOf(node, paused.id), "paused");
		assert.equal(await statusOf(node, lost.id), "failed");
		assert.equal(await statusOf(node, toChildId(lost.id, "one")), "canceled");
		assert.equal(await statusOf(node, toChildId(paused.id, "ask")), "pending");
	}),
);

limited("a workflow that was not woken goes on, unless somebody has asked for its pause", () =>
	withNode(async (node) => {
		const submit = async () => {
			const { id } = await node.submit({ steps: [{ key: "ask", action: "core.ask" }] }, { action: "default.flow" });
			await reached(node, id, "paused");
			return id;
		};
		const [forgotten, asked] = [await submit(), await submit()];
		const { context = {} } = (await node.storage.get("execution", asked)) ?? {};
		await node.storage.update("execution", asked, { context: { ...context, paused_by: "maria" } });
		const timestamp = "2020-01-01T00:00:00.000000Z";
		// As if their ends had not been noticed.
		for (const id of [forgotten, asked])
			await node.storage.update("execution", toChildId(id, "ask"), { status: "succeeded", result: {}, end_timestamp: timestamp });
		await node.look(3);
		assert.deepEqual([await statusOf(node, forgotten), await statusOf(node, asked)], ["paused", "paused"]);
		node.clock.set(2 * day);
		await node.look(2);
		assert.equal((await node.settled(forgotten)).status, "succeeded");
		assert.equal(await statusOf(node, asked), "paused");
	}),
);

limited("what stood still because no node was there goes on", () =>
	withNodes(async ({ startNode, storage }) => {
		const first = await startScene(startNode);
		const { id } = await first.submit({}, { action: "default.lost" });
		await reached(first, toChildId(id, "one"), "succeeded");
		await first.engine.stop();
		await age({ storage }, id);
		const second = await startScene(startNode);
		await until(async () => (await storage.get("execution", id))?.owner === second.engine.nodeId, "it is held again");
		await second.look(3);
		assert.equal(await statusOf(second, id), "running");
		await storage.update("node", second.engine.nodeId, long());
		await second.look(2);
		assert.equal((await second.settled(id)).status, "failed");
	}),
);

limited("several nodes end it once", () =>
	withNodes(async ({ startNode, storage }) => {
		const nodes = [await startScene(startNode), await startScene(startNode)] as const;
		const [node] = nodes;
		const { id } = await node.submit({}, { action: "default.lost" });
		await reached(node, toChildId(id, "one"), "succeeded");
		await age({ storage }, id);
		for (const { engine } of nodes) await storage.update("node", engine.nodeId, long());
		for (let time = 0; time < 3; time += 1) await Promise.all(nodes.map(({ engine }) => engine.retention.collect()));
		const { log } = await node.settled(id);
		assert.deepEqual(
			log.map(({ status }) => status),
			["running", "failed"],
		);
		await until(() => nodes.some(({ ended }) => ended.includes(id)), "the run has ended");
	}),
);

limited("0 ends none", () =>
	withNode(
		async (node) => {
			const { id } = await node.submit({}, { action: "default.lost" });
			await reached(node, toChildId(id, "one"), "succeeded");
			node.clock.set(400 * day);
			await node.look(3);
			assert.equal(await statusOf(node, id), "running");
			await node.engine.executions.cancel(id, principal);
			await node.settled(id);
		},
		{ workflow_engine: { gc_max_idle_sec: 0 } },
	),
);

test.run();
