// test-timeout: 900
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import type { ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import { type JsonObject, toErrorMessage } from "../../contract/index.ts";
import { rounds } from "../extent.test-support.ts";
import { createTestDatabase, postgresTest } from "../services/postgres.test-support.ts";
import { createRandom, pick, type Random } from "./random.test-support.ts";
import { endLeftovers, nothingLeft } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";
import { WorkflowFleet } from "./workflow-fleet.test-support.ts";
import { workflowPack, writeWorkflowPack } from "./workflow-pack.test-support.ts";

// KILL_ROUNDS says how often a service is killed, KILL_SEED repeats what a failed test has tried. 300 need an hour:
// KILL_ROUNDS=300 TEST_TIMEOUT=5400 npm test -- workflow-kill
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const ofOne = rounds({ short: 1, full: 1 });
const ofTwo = rounds({ short: 1, full: 1 });
/** A single kill meets few of the workflows: two are enough, and other ones each time. */
const definitions = Math.max(ofOne, ofTwo) > 1 ? 4 : 2;
/** Workflows that are under way at a time. */
const inFlight = 4;
const longestLife = 1_500;
const patience = 90;
const ended = ["succeeded", "failed", "timeout", "canceled", "abandoned"];

const title = (services: string, kills: number) =>
	`with ${services}, workflows come to the ends that they have without ${kills} kills, and nothing that has succeeded runs again`;

test(title("one service on SQLite", ofOne), () => killAndCompare({ size: 1, kills: ofOne }));

postgresTest(test)(title("two on PostgreSQL", ofTwo), async () => {
	const database = await createTestDatabase();
	try {
		await killAndCompare({ size: 2, kills: ofTwo, postgres: database.url });
	} finally {
		await database.drop();
	}
});

interface Options {
	/** Services that share the records. */
	readonly size: number;
	readonly kills: number;
	readonly postgres?: string;
}

async function killAndCompare({ kills, ...options }: Options): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-workflow-kill-"));
	const packs = join(directory, "packs");
	const random = createRandom(seed);
	await writeWorkflowPack(packs, { random, count: definitions });
	const fleet = new WorkflowFleet({ directory, packs, runners: workflowPack.runners, ...options });
	try {
		await fleet.start();
		endsWithoutKills ??= await runUndisturbed(fleet);
		const started = await killUnderLoad(fleet, { random, directory, kills });
		for (const [id, ref] of started) {
			assert.deepEqual(toEnd(await ends(fleet, id)), endsWithoutKills.get(ref), `${ref} ${id}`);
			await assertOnce(fleet, id);
		}
		assert.ok(started.size >= kills / 2, "too little was going on");
		await fleet.stop();
		process.stdout.write(`${kills} kills, ${started.size} workflows\n`);
	} catch (error) {
		throw new Error(`KILL_SEED=${seed}: ${toErrorMessage(error)}`, { cause: error });
	} finally {
		await fleet.kill();
		endLeftovers(directory);
		await rm(directory, { recursive: true, force: true });
	}
}

interface End {
	readonly status: string;
	readonly result: unknown;
}

/** An attempt that went down with a service leaves an error, which is no part of the end. */
function toEnd({ status, result }: ExecutionRecord): End {
	const { output = null, errors = [] } = (result ?? {}) as { readonly output?: unknown; readonly errors?: readonly JsonObject[] };
	return { status, result: { output, errors: errors.filter((error) => !JSON.stringify(error).includes("abandoned")) } };
}

/** The end of each workflow without kills. It does not depend on the services, so the first test finds it for both. */
let endsWithoutKills: ReadonlyMap<string, End> | undefined;

async function runUndisturbed(fleet: WorkflowFleet): Promise<ReadonlyMap<string, End>> {
	const ids = new Map<string, string>();
	for (const ref of workflowPack.refs(definitions)) ids.set(ref, (await fleet.client.executions.create({ action: ref })).id);
	const expected = new Map<string, End>();
	for (const [ref, id] of ids) expected.set(ref, toEnd(await ends(fleet, id)));
	return expected;
}

/** Which workflow was started as which execution. */
async function killUnderLoad(
	fleet: WorkflowFleet,
	{ random, directory, kills }: { readonly random: Random; readonly directory: string; readonly kills: number },
): Promise<ReadonlyMap<string, string>> {
	const started = new Map<string, string>();
	const open = new Set<string>();
	for (let round = 1; round <= kills; round += 1) {
		while (open.size < inFlight) {
			const ref = pick(random, workflowPack.refs(definitions));
			const { id } = await fleet.client.executions.create({ action: ref });
			started.set(id, ref);
			open.add(id);
		}
		await fleet.answerQuestions(random(longestLife));
		for (const id of open) if (ended.includes((await fleet.client.executions.get(id)).status)) open.delete(id);
		await fleet.killOne(random);
		if (fleet.size === 1) await nothingLeft(directory, 5, workflowPack.name);
		// After the last kill the service that is left does the rest.
		if (fleet.size === 1 || round < kills) await fleet.start();
	}
	return started;
}

async function ends(fleet: WorkflowFleet, id: string): Promise<ExecutionRecord> {
	const ending = until(`workflow ${id} has ended`, patience, async () => {
		const record = await fleet.client.executions.get(id);
		if (ended.includes(record.status)) return record;
		await fleet.answerQuestions(0);
		await delay(20);
		return undefined;
	});
	return ending.catch(async (error: unknown) => {
		throw new Error(await describe(fleet, id), { cause: error });
	});
}

/** What has become of a workflow that has not ended. */
async function describe({ client }: WorkflowFleet, id: string): Promise<string> {
	const { status, action } = await client.executions.get(id);
	const children = await client.executions.children(id);
	const lines = children.map(
		(child) => `${child.parent} ${child.id} ${child.action.ref} ${child.status} ${JSON.stringify(child.context["workflow"])}`,
	);
	return [`${action.ref} ${id} is ${status}`, ...lines.slice(-20)].join("\n");
}

/** Of all attempts at a task one has succeeded at most; of those of nested workflows as well. */
async function assertOnce({ client }: WorkflowFleet, id: string): Promise<void> {
	const succeeded = new Set<string>();
	for (const child of await client.executions.children(id)) {
		const { task_execution_id, item_id } = (child.context["workflow"] ?? {}) as Record<string, unknown>;
		// All items run again where one of them went down with a service.
		if (child.status !== "succeeded" || task_execution_id === undefined || item_id !== undefined) continue;
		const name = `${child.parent} ${task_execution_id}`;
		assert.ok(!succeeded.has(name), `task ${name} has succeeded twice`);
		succeeded.add(name);
	}
}

test.run();
