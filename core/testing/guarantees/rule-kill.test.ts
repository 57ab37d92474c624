// test-timeout: 900
import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { toErrorMessage } from "../../contract/index.ts";
import type { Engine } from "../../index.ts";
import { rounds } from "../extent.test-support.ts";
import { toProgram } from "../program.test-support.ts";
import { createRandom, type Random } from "./random.test-support.ts";
import { ruleCount, startRuleService } from "./rule-service.test-support.ts";
import { until } from "./until.test-support.ts";

// KILL_POINTS says how many events are to be found unfinished by a kill, KILL_SEED repeats what a failed test has tried.
const points = rounds({ short: 8, full: 12 }, "KILL_POINTS");
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const program = toProgram("./rule-service.test-support", import.meta.url);

test(`every rule acts once on each event, though ${points} events are cut off on their way by kills`, async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-rule-kill-"));
	const random = createRandom(seed);
	const acknowledged = new Set<string>();
	let cut = 0;
	let kills = 0;
	try {
		while (cut < points) {
			await killUnderLoad(directory, { random, acknowledged });
			kills += 1;
			const engine = await startRuleService(directory);
			try {
				cut += await finishAll(engine);
			} finally {
				await engine.stop();
			}
		}
		const engine = await startRuleService(directory);
		try {
			await assertOnce(engine, acknowledged);
		} finally {
			await engine.stop();
		}
		process.stdout.write(`${kills} kills, ${acknowledged.size} events acknowledged, ${cut} cut off\n`);
	} catch (error) {
		throw new Error(`KILL_SEED=${seed}: ${toErrorMessage(error)}`, { cause: error });
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
});

interface Load {
	readonly random: Random;
	readonly acknowledged: Set<string>;
}

/** Have events dispatched by a process, and kill it at a random moment. */
async function killUnderLoad(directory: string, { random, acknowledged }: Load): Promise<void> {
	const child: ChildProcess = spawn(process.execPath, [...program, directory], { stdio: ["ignore", "pipe", "inherit"] });
	const exited = new Promise((resolve) => child.once("exit", resolve));
	if (child.stdout === null) throw new Error("the process has no output");
	const lines = createInterface({ input: child.stdout });
	const ready = new Promise<void>((resolve) => {
		lines.on("line", (line) => {
			if (line === "ready") resolve();
			else acknowledged.add(line);
		});
	});
	await Promise.race([ready, exited.then(() => assert.fail("the process ended before it was killed"))]);
	await delay(random(150));
	child.kill("SIGKILL");
	await exited;
	await new Promise<void>((resolve) => (child.stdout?.readableEnded ? resolve() : lines.once("close", () => resolve())));
}

/** Wait until everything is processed; how many events an earlier process has begun or left. */
async function finishAll({ triggers }: Engine): Promise<number> {
	const open = async () => (await triggers.instances.list({ status: ["pending", "processing"] }, { limit: 1 })).total;
	const found = await open();
	await until("every event is processed", 60, async () => (await open()) === 0 || undefined);
	return found;
}

async function assertOnce({ triggers, enforcements, executions }: Engine, acknowledged: ReadonlySet<string>): Promise<void> {
	const { items: instances } = await triggers.instances.list({}, {});
	const known = new Set(instances.map(({ id }) => id));
	assert.deepEqual(
		[...acknowledged].filter((id) => !known.has(id)),
		[],
		"events were lost",
	);
	assert.deepEqual([...new Set(instances.map(({ status }) => status))], ["processed"]);
	const acts = await enforcements.list({}, {});
	assert.equal(acts.total, instances.length * ruleCount, "enforcements");
	assert.equal(new Set(acts.items.map(({ rule_id, trigger_instance_id }) => `${rule_id} ${trigger_instance_id}`)).size, acts.total);
	const started = await executions.list({ filter: {}, fields: ["trigger_instance_id", "rule_name"], children: false });
	const byRule = started.items.map(({ entity }) => `${entity.rule_name} ${entity.trigger_instance_id}`);
	assert.equal(new Set(byRule).size, byRule.length, "executions of one rule and event");
	assert.equal(byRule.length, instances.length * ruleCount, "executions");
}

test.run();
