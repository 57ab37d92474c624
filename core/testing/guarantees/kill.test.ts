// test-timeout: 900
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { toErrorMessage } from "../../contract/index.ts";
import { rounds } from "../extent.test-support.ts";
import { lastingPack, writeLastingPack } from "./lasting-pack.test-support.ts";
import { Ledger } from "./ledger.test-support.ts";
import { createRandom } from "./random.test-support.ts";
import { assertKept, assertRecovered } from "./recovery.test-support.ts";
import { endLeftovers, nothingLeft, type ServiceProcess, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";
import { keepBusy } from "./workload.test-support.ts";

// KILL_ROUNDS says how often the service is killed, KILL_SEED repeats what a failed test has tried. A release takes a hundred:
// KILL_ROUNDS=100 npm test -- guarantees/kill.test
const kills = rounds({ short: 2, full: 2 });
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
/** One kill in so many, the second among them, comes while the service starts, and finds it recovering from the one before. */
const earlyOneIn = 5;
const longestLoad = 800;

test(`whatever was acknowledged or announced is still so after ${kills} kills at random moments`, async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-kill-"));
	const packs = join(directory, "packs");
	await writeLastingPack(packs);
	const random = createRandom(seed);
	const ledger = new Ledger(directory);
	let token: string | undefined;
	let startTime = 0;
	let service: ServiceProcess | undefined;

	const start = async (signal?: AbortSignal) => {
		const started = performance.now();
		service = await startServiceProcess({
			directory,
			packs,
			runners: lastingPack.runners,
			...(token !== undefined && { token }),
			...(signal !== undefined && { signal }),
		});
		startTime = performance.now() - started;
		token = service.token;
		return service;
	};

	/** Until a request of this round is acknowledged: a slow machine takes longer for the first than the load may last. */
	const answered = () => {
		const before = ledger.acknowledged().size;
		return until("a request is acknowledged", 30, () => ledger.acknowledged().size > before || undefined);
	};

	const killUnderLoad = async () => {
		const running = await start();
		await assertRecovered(running, ledger);
		const busy = keepBusy({ service: running, ledger, random });
		const early = busy.then(() => assert.fail("the load ended before the service was killed"));
		await Promise.race([answered(), early]);
		await Promise.race([delay(random(longestLoad)), early]);
		early.catch(() => undefined);
		await running.kill();
		await busy;
	};

	/** The moment may also come a little after the start. */
	const killAtStart = async () => {
		const signal = AbortSignal.timeout(random(Math.ceil(startTime * 1.2)));
		const running = await start(signal).catch((error: unknown) => {
			if (!signal.aborted) throw error;
		});
		await running?.kill();
	};

	try {
		for (let round = 1; round <= kills; round += 1) {
			await (round % earlyOneIn === 2 ? killAtStart() : killUnderLoad());
			await nothingLeft(directory, 5, lastingPack.name);
		}
		const last = await start();
		await assertRecovered(last, ledger);
		await assertKept(last, ledger);
		assert.ok(ledger.acknowledged().size >= kills / 2, "too little was going on");
		assert.equal(await last.stop(), 0);
		await nothingLeft(directory, 5);
		process.stdout.write(`${kills} kills: ${ledger.describe()}\n`);
	} catch (error) {
		throw new Error(`KILL_SEED=${seed}: ${toErrorMessage(error)}`, { cause: error });
	} finally {
		await service?.kill();
		endLeftovers(directory);
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
