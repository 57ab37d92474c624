// test-timeout: 180
import * as assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { toErrorMessage } from "../../contract/index.ts";
import { removeTree } from "../../features/packs/content/laid-out.ts";
import { createRandom } from "./random.test-support.ts";
import { endLeftovers, nothingLeft, type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";
import { assertKeptWhole, assertLaidOutWhole, ended, readStaging, readWholeVersion, VersionedPack } from "./versioned-pack.test-support.ts";

// KILL_ROUNDS says how often the service is killed, KILL_SEED repeats what a failed test has tried.
const rounds = Number(process.env["KILL_ROUNDS"] ?? 8);
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const runners = { "local-script": "localScript()" };
/** Seconds. */
const patience = 30;
/** Steps of an installation, as it tells of them. */
const phases = ["fetch", "keep the files of", "make ready", "switch to"] as const;
/** Milliseconds by which a kill may miss the end of its phase. */
const lateness = 20;
type Phase = (typeof phases)[number];
/** When it is killed: in a phase, or as soon as anybody can see the new version. */
const moments = [...phases, "seen"] as const;

test(`a pack is the old version or the new one, whole, after ${rounds} kills at random moments of its installation`, async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-install-kill-"));
	const data = join(directory, "data");
	const random = createRandom(seed);
	const pack = new VersionedPack();
	const found = { old: 0, new: 0, incomplete: 0, unnamed: 0, staged: 0 };
	const diedIn: Record<string, number> = {};
	let service = await startServiceProcess({ directory, runners });
	const { token } = service;
	try {
		pack.commit(1);
		const lasts = await install(service, pack);
		for (let version = 2; version < rounds + 2; version += 1) {
			pack.commit(version);
			const moment = moments[version % moments.length] as (typeof moments)[number];
			const killed = await begin(service, pack);
			if (moment === "seen") await untilSeen(service, version);
			else await untilIn(service, killed, { phase: moment, after: random(Math.ceil(lasts[moment]) + lateness) });
			await service.kill();
			await nothingLeft(directory, 10);
			found.incomplete += await assertKeptWhole(data);
			found.unnamed += await assertLaidOutWhole(data);
			found.staged += (await readStaging(data)).length;
			service = await startServiceProcess({ directory, runners, token });
			await ended(service, killed);
			const last = await readLastPhase(service, killed);
			diedIn[last] = (diedIn[last] ?? 0) + 1;
			const whole = await readWholeVersion(service);
			assert.ok(whole === version || whole === version - 1, `version ${whole} after an upgrade to ${version}`);
			found[whole === version ? "new" : "old"] += 1;
			await install(service, pack);
			assert.equal(await readWholeVersion(service), version);
			assert.deepEqual(await readStaging(data), []);
		}
		await service.stop();
		// What was half stored has been brought to its end.
		assert.equal(await assertKeptWhole(data), 0);
		assert.ok(found.staged > 0, "no installation was cut off");
		process.stdout.write(`${rounds} kills in ${JSON.stringify(diedIn)}, found ${JSON.stringify(found)}\n`);
	} catch (error) {
		throw new Error(`KILL_SEED=${seed}: ${toErrorMessage(error)}`, { cause: error });
	} finally {
		await service.kill();
		endLeftovers(directory);
		pack.remove();
		await removeTree(directory);
	}
});

/** Install to the end: milliseconds that each phase took, none for those that it did without. */
async function install(service: ServiceProcess, pack: VersionedPack): Promise<Readonly<Record<Phase, number>>> {
	const { status, result } = await ended(service, await begin(service, pack));
	assert.equal(status, "succeeded", JSON.stringify(result));
	const tasks = result?.["tasks"] as unknown as readonly Readonly<Record<"name" | "created_at" | "updated_at", string>>[];
	const took = (phase: Phase) => {
		const task = tasks.find(({ name }) => name.startsWith(phase));
		return task === undefined ? 0 : Date.parse(task.updated_at) - Date.parse(task.created_at);
	};
	return Object.fromEntries(phases.map((phase) => [phase, took(phase)])) as Record<Phase, number>;
}

/** Begin an installation: its execution. */
async function begin({ client }: ServiceProcess, pack: VersionedPack): Promise<string> {
	return (await client.packInstalls.install({ packs: [pack.address] })).execution_id;
}

/** Wait for so many milliseconds after an installation has said that the phase begins. */
async function untilIn({ client }: ServiceProcess, id: string, { phase, after }: { phase: Phase; after: number }): Promise<void> {
	for await (const { data } of client.followOutput(id)) {
		if (data.split("\n").some((line) => line.startsWith(phase))) return delay(after);
	}
	assert.fail(`the installation ended before "${phase}"`);
}

/** Wait until the record of the pack is of this version. */
async function untilSeen({ client }: ServiceProcess, version: number): Promise<void> {
	await until(
		`version ${version} is seen`,
		patience,
		async () => (await client.packs.get("disk")).version === `${version}.0.0` || undefined,
	);
}

/** What an installation was last about when it was killed. */
async function readLastPhase({ client }: ServiceProcess, id: string): Promise<string> {
	let last = "nothing";
	for await (const { data } of client.followOutput(id)) {
		for (const line of data.split("\n")) last = [...phases, "installed"].find((phase) => line.startsWith(phase)) ?? last;
	}
	return last;
}

test.run();
