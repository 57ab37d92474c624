// test-timeout: 120
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
import { actionCount, ruleCount, startPackService } from "./pack-service.test-support.ts";
import { createRandom, type Random } from "./random.test-support.ts";

// KILL_POINTS says how often it is killed, KILL_SEED repeats what a failed test has tried.
const kills = rounds({ short: 1, full: 1 }, "KILL_POINTS");
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const program = toProgram("./pack-service.test-support", import.meta.url);

test(`a pack is of one version whole, though ${kills} kills cut off what switches it`, async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-pack-kill-"));
	const random = createRandom(seed);
	const seen = new Set<string>();
	try {
		for (let kill = 0; kill < kills; kill += 1) {
			const last = await killWhileSwitching(directory, random);
			const engine = await startPackService(directory);
			try {
				const found = await assertWhole(engine);
				// What was acknowledged is there, or what came next.
				if (last !== undefined) seen.add(found === last ? "old" : "new");
			} finally {
				await engine.stop();
			}
		}
		process.stdout.write(`${kills} kills, found: ${[...seen].join(", ")}\n`);
	} catch (error) {
		throw new Error(`KILL_SEED=${seed}: ${toErrorMessage(error)}`, { cause: error });
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
});

/** The last version that the process said was in place. */
async function killWhileSwitching(directory: string, random: Random): Promise<string | undefined> {
	const child: ChildProcess = spawn(process.execPath, [...program, directory], { stdio: ["ignore", "pipe", "inherit"] });
	const exited = new Promise((resolve) => child.once("exit", resolve));
	if (child.stdout === null) throw new Error("the process has no output");
	const lines = createInterface({ input: child.stdout });
	let last: string | undefined;
	const ready = new Promise<void>((resolve) => {
		lines.on("line", (line) => {
			if (line === "ready") resolve();
			else last = line;
		});
	});
	await Promise.race([ready, exited.then(() => assert.fail("the process ended before it was killed"))]);
	await delay(random(600));
	child.kill("SIGKILL");
	await exited;
	await new Promise<void>((resolve) => (child.stdout?.readableEnded ? resolve() : lines.once("close", () => resolve())));
	return last;
}

/** The version of everything; undefined while there is no pack at all. */
async function assertWhole({ actions, rules, packs }: Engine): Promise<string | undefined> {
	const pack = await packs.get("disk").catch(() => undefined);
	const { items: found } = await actions.list({ pack: "disk" }, {});
	const { items: views } = await rules.list({ pack: "disk" }, {});
	if (pack === undefined) {
		assert.deepEqual([found.length, views.length], [0, 0]);
		return undefined;
	}
	assert.deepEqual([found.length, views.length], [actionCount, ruleCount]);
	const versions = new Set([...found.map(({ description }) => description), ...views.map(({ rule }) => rule.description)]);
	assert.equal(versions.size, 1, [...versions].join());
	assert.equal(new Set(found.map(({ content }) => content)).size, 1);
	const [version] = versions;
	for (const { trigger } of views) assert.ok(String(trigger?.parameters["url"]).startsWith(`${version}/`));
	return version;
}

test.run();
