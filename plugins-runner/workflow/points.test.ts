// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { defineRunner, type ExecutionEntity } from "../../core/contract/index.ts";
import { principal, startEngine, type TestEngine } from "../../core/testing/engine/engine.test-support.ts";
import { rounds } from "../../core/testing/extent.test-support.ts";
import { createRandom } from "../../core/testing/guarantees/random.test-support.ts";
import { workflowPack, writeWorkflowPack } from "../../core/testing/guarantees/workflow-pack.test-support.ts";
import { inquirer } from "../inquirer/index.ts";
import { noop } from "../noop/index.ts";
import { workflow } from "./index.ts";

// POINTS_SEED repeats what a failed test has tried.
const seed = Number(process.env["POINTS_SEED"] ?? Date.now() % 1_000_000);
const definitions = rounds({ short: 1, full: 3 }, "POINTS_DEFINITIONS");
const ended = ["succeeded", "failed", "timeout", "canceled", "abandoned"];

/** Says what it is told, after a few turns of the loop. */
const step = defineRunner("step", () => ({
	description: "Says what it is told.",
	capabilities: { cancellation: true },
	parameters: {},
	async run({ actionParameters: { value, code } }) {
		await delay(2);
		return { succeeded: code === 0, result: { stdout: String(value), return_code: code ?? 0 } };
	},
}));

async function withWorkflows(body: (node: TestEngine, refs: readonly string[]) => Promise<void>): Promise<void> {
	const packs = await mkdtemp(join(tmpdir(), "svc-points-"));
	await writeWorkflowPack(packs, { random: createRandom(seed), count: definitions, stepRunner: "step" });
	const node = await startEngine({ runners: [workflow(), inquirer(), noop(), step()], options: { packs: [packs] } });
	try {
		await body(node, workflowPack.refs(definitions));
	} catch (error) {
		throw new Error(`POINTS_SEED=${seed}`, { cause: error });
	} finally {
		await node.stop();
		await rm(packs, { recursive: true, force: true });
	}
}

/** Every execution below one, at any depth. */
async function below({ storage }: TestEngine, id: string): Promise<readonly ExecutionEntity[]> {
	const children = await storage.find("execution", { where: { parent_id: id } });
	const deeper = await Promise.all(children.map((child) => below({ storage } as TestEngine, child.id)));
	return [...children, ...deeper.flat()];
}

async function answerAll({ engine }: TestEngine): Promise<void> {
	const { items } = await engine.inquiries.list({});
	for (const { id } of items) await engine.inquiries.respond(id, { continue: true }, principal).catch(() => undefined);
}

async function untilStatus(node: TestEngine, id: string, statuses: readonly string[], isAnswering = true): Promise<ExecutionEntity> {
	const deadline = performance.now() + 30_000;
	for (;;) {
		const { entity } = await node.engine.executions.get(id);
		if (statuses.includes(entity.status)) return entity;
		if (performance.now() > deadline) throw new Error(`${id} (${entity.action_ref}) stays ${entity.status}`);
		if (isAnswering) await answerAll(node);
		await delay(1);
	}
}

/** Resolves once the workflow, or a workflow below it, has come to its n-th decision; false when it has ended before. */
async function reached(node: TestEngine, id: string, decisions: number): Promise<boolean> {
	for (;;) {
		const { entity } = await node.engine.executions.get(id);
		if (ended.includes(entity.status)) return false;
		if ((await node.storage.count("journal_entry", { execution_id: id })) >= decisions) return true;
		await answerAll(node);
		await delay(1);
	}
}

const toEnd = ({ status, result }: ExecutionEntity) => ({ status, result });
const run = async ({ engine }: TestEngine, ref: string) =>
	(await engine.executions.submit({ action: ref, parameters: {} }, principal)).entity.id;

test("canceled at any point, a workflow ends canceled and nothing of it goes on", async () => {
	await withWorkflows(async (node, refs) => {
		for (const ref of refs) {
			for (let decisions = 1; ; decisions += 1) {
				const id = await run(node, ref);
				if (!(await reached(node, id, decisions))) break;
				await node.engine.executions.cancel(id, principal);
				const { status } = await untilStatus(node, id, ended, false);
				assert.ok(["canceled", "succeeded", "failed"].includes(status), status);
				const open = (await below(node, id)).filter((child) => !ended.includes(child.status));
				assert.deepEqual(open, [], `${ref} canceled after decision ${decisions}`);
			}
		}
	});
});

test("paused at any point and resumed, a workflow comes to the end that it has without", async () => {
	await withWorkflows(async (node, refs) => {
		for (const ref of refs) {
			const expected = toEnd(await untilStatus(node, await run(node, ref), ended));
			for (let decisions = 1; ; decisions += 1) {
				const id = await run(node, ref);
				if (!(await reached(node, id, decisions))) break;
				const asked = await node.engine.executions.setStatus(id, { status: "pausing" }, principal).catch(() => undefined);
				const { status } = await untilStatus(node, id, asked === undefined ? [...ended, "paused"] : [...ended, "paused"], false);
				if (status === "paused") {
					const active = (await below(node, id)).filter((child) => ![...ended, "paused", "pending", "delayed"].includes(child.status));
					assert.deepEqual(active, [], `${ref} paused after decision ${decisions}`);
					await node.engine.executions.setStatus(id, { status: "resuming" }, principal).catch(() => undefined);
				}
				assert.deepEqual(toEnd(await untilStatus(node, id, ended)), expected, `${ref} paused after decision ${decisions}`);
			}
		}
	});
});

test.run();
