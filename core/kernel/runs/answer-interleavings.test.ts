// test-timeout: 300
import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import { type ExecutionEntity, isSvcError, type JsonObject } from "../../contract/index.ts";
import { principal, startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { rounds } from "../../testing/extent.test-support.ts";
import { until as untilTrue } from "../../testing/guarantees/until.test-support.ts";
import { toChildId } from "../executions/child-identity.ts";
import { isCompleted } from "../executions/status.ts";
import { flowRunner } from "./flow-runner.test-support.ts";
import { ask, nested } from "./pausing.test-support.ts";

const longAgo = "2020-01-01T00:00:00.000000Z";
/** Orders that are tried at the same time. */
const lanes = 16;

/** A workflow, what is below it, and the question that it ends with. */
interface Asked {
	readonly id: string;
	readonly inner: readonly string[];
	readonly question: string;
}

type Act = (node: TestEngine, asked: Asked) => Promise<unknown>;

/** The time of the workflow is over: it ends when it goes on. */
const timeOutWorkflow: Act = async ({ storage }, { id }) => {
	const execution = await storage.get("execution", id);
	const log = (execution?.log ?? []).map((entry) => (entry.status === "running" ? { ...entry, timestamp: longAgo } : entry));
	await storage.update("execution", id, { log }, { status: "paused" });
};

/** The time of the question is over: the collector ends it. */
const timeOutQuestion: Act = async ({ storage }, { question }) => {
	await storage.update("execution", question, { start_timestamp: longAgo });
	await untilTrue(
		"the question has timed out",
		60,
		async () => (await storage.get("execution", question))?.status !== "pending" || undefined,
	);
};

const setStatus =
	(status: ExecutionEntity["status"]): Act =>
	({ engine }, { id }) =>
		engine.executions.setStatus(id, { status }, principal);

const acts = (timeOut: Act): readonly Act[] => [
	({ engine }, { id }) => engine.executions.cancel(id, principal),
	setStatus("pausing"),
	setStatus("resuming"),
	timeOut,
	setStatus("succeeded"),
	({ engine }, { question }) => engine.inquiries.respond(question, { continue: true }, principal),
];

/** All orders of one to `most` of them: 1,956 of six. */
function toOrders<T>(of: readonly T[], most: number): (readonly T[])[] {
	const orders: (readonly T[])[] = [];
	const extend = (order: readonly T[]) => {
		if (order.length > 0) orders.push(order);
		for (const one of order.length < most ? of : []) if (!order.includes(one)) extend([...order, one]);
	};
	extend([]);
	return orders;
}

async function until(node: TestEngine, id: string, isReached: (execution: ExecutionEntity) => boolean | Promise<boolean>) {
	const deadline = performance.now() + 60_000;
	for (;;) {
		const execution = await node.storage.get("execution", id);
		if (execution !== undefined && (await isReached(execution))) return execution;
		if (performance.now() > deadline) throw new Error(`${id} stays ${execution?.status}`);
		await delay(3);
	}
}

const isOver = ({ status }: ExecutionEntity) => isCompleted(status);

async function start(node: TestEngine, steps: readonly JsonObject[], path: readonly string[]): Promise<Asked> {
	const { id } = await node.submit({ steps: steps as JsonObject[], timeout: 100_000 }, { action: "default.flow" });
	const inner: string[] = [];
	for (const key of path) inner.unshift(toChildId(inner[0] ?? id, key));
	const question = inner.shift() ?? "";
	await until(node, id, ({ status }) => status === "paused");
	return { id, inner, question };
}

async function tryOrder(node: TestEngine, asked: Asked, order: readonly Act[]): Promise<void> {
	const { id, inner, question } = asked;
	for (const act of order) {
		try {
			await act(node, asked);
		} catch (error) {
			// A refusal is fine, a fault is not.
			if (!isSvcError(error, "SVC_INVALID") && !isSvcError(error, "SVC_CONFLICT")) throw error;
		}
	}
	// It has ended, or it waits for an answer that can be given.
	const isPending = async () => (await node.storage.get("execution", question))?.status === "pending";
	const settled = await until(node, id, (execution) => isOver(execution) || (execution.status === "paused" && isPending()));
	if (settled.status === "paused") return;
	if (inner.length === 0) assert.equal(await isPending(), false, "the question is open when its workflow has ended");
	for (const one of [...inner, question]) await until(node, one, isOver);
	const answering = node.engine.inquiries.respond(question, { continue: true }, principal);
	await assert.rejects(answering, (error) => isSvcError(error, "SVC_INVALID"));
}

async function withFlows(use: (node: TestEngine) => Promise<void>): Promise<void> {
	const records = memoryStorage().create();
	const node = await startEngine({
		storage: { ...memoryStorage(), create: () => records },
		eventBus: memoryBus(),
		runners: [flowRunner(), inquirer()],
		options: { garbagecollector: { purge_inquiries: true, collection_interval: 0.05, sleep_delay: 0 } },
	});
	try {
		await node.engine.actions.create({ name: "flow", runner_type: "flow" });
		await use(node);
	} finally {
		await node.stop();
	}
}

const shapes = [
	{ what: "the workflow that asks it", steps: [ask()], path: ["ask"], timeOut: timeOutWorkflow, most: 6, count: 1_956 },
	{
		what: "the workflow above that one",
		steps: [nested("inner", [ask()])],
		path: ["inner", "ask"],
		timeOut: timeOutQuestion,
		most: 4,
		count: 516,
	},
];

for (const { what, steps, path, timeOut, most, count } of shapes) {
	test(`in whatever order things happen to ${what}, a question never outlives it`, async () => {
		const kinds = acts(timeOut);
		const left = toOrders(kinds, most);
		assert.equal(left.length, count);
		// Some of them, spread over all lengths, and other ones each day.
		const every = rounds({ short: 16, full: 6 }, "ORDERS_EVERY");
		const today = Math.floor(Date.now() / 86_400_000);
		const chosen = left.filter((_, index) => (index + today) % every === 0);
		await withFlows(async (node) => {
			const lane = async () => {
				for (let order = chosen.pop(); order !== undefined; order = chosen.pop()) {
					const asked = await start(node, steps, path);
					await tryOrder(node, asked, order).catch((error: unknown) => {
						chosen.length = 0;
						throw new Error(`order: ${order?.map((act) => kinds.indexOf(act)).join()}`, { cause: error });
					});
					// Few records are found quickly.
					await node.storage.remove("execution", { where: { id: { in: [asked.id, ...asked.inner, asked.question] } } });
				}
			};
			await Promise.all(Array.from({ length: lanes }, lane));
		});
	});
}

test.run();
