// test-suite: full
// test-timeout: 180
import * as assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { toErrorMessage } from "../../contract/index.ts";
import { removeTree } from "../../features/packs/content/content-directory.ts";
import { rounds } from "../extent.test-support.ts";
import { begin, install, phases, readLastPhase, untilIn, untilSeen } from "./install-phases.test-support.ts";
import { createRandom } from "./random.test-support.ts";
import { endLeftovers, nothingLeft, startServiceProcess } from "./service-process.test-support.ts";
import { assertKeptWhole, assertLaidOutWhole, ended, readStaging, readWholeVersion, VersionedPack } from "./versioned-pack.test-support.ts";

// KILL_ROUNDS says how often the service is killed, KILL_SEED repeats what a failed test has tried.
const kills = rounds({ short: 1, full: 1 });
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const runners = { "local-script": "localScript()" };
/** Milliseconds by which a kill may miss the end of its phase. */
const lateness = 20;
/** When it is killed: in a phase, or as soon as anybody can see the new version. */
const moments = [...phases, "seen"] as const;

test(`a pack is the old version or the new one, whole, after ${kills} kills at random moments of its installation`, async () => {
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
		for (let version = 2; version < kills + 2; version += 1) {
			pack.commit(version);
			const moment = moments[(seed + version) % moments.length] as (typeof moments)[number];
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
		// A single kill may come after the installation has removed its staging folder; one kill at each moment does not.
		if (kills >= moments.length) assert.ok(found.staged > 0, "no installation was cut off");
		process.stdout.write(`${kills} kills in ${JSON.stringify(diedIn)}, found ${JSON.stringify(found)}\n`);
	} catch (error) {
		throw new Error(`KILL_SEED=${seed}: ${toErrorMessage(error)}`, { cause: error });
	} finally {
		await service.kill();
		endLeftovers(directory);
		pack.remove();
		await removeTree(directory);
	}
});

test.run();
