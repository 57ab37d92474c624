// test-timeout: 240
// test-waits
import * as assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { rounds } from "../extent.test-support.ts";
import { startCuttingProxy } from "../web/cutting-proxy.test-support.ts";
import { isFinal } from "./ledger.test-support.ts";
import { createRandom } from "./random.test-support.ts";
import { endLeftovers, startServiceProcess } from "./service-process.test-support.ts";
import { until } from "./until.test-support.ts";
import { connected, createWorkerKey, startWorkerProcess, workerOptions } from "./worker-process.test-support.ts";

const roundCount = rounds({ short: 1, full: 2 }, "WORKER_ROUNDS");
const seed = Number(process.env["WORKER_SEED"] ?? Date.now() % 1_000_000);
const lines = 40;
const text = Array.from({ length: lines }, (_, index) => `line ${index}\n`).join("");

/** What each execution does: it writes down that it began, and prints for most of a second. */
const toCommand = (ledger: string, number: number) =>
	`echo ${number} >> ${ledger}; i=0; while [ $i -lt ${lines} ]; do echo line $i; i=$((i+1)); sleep 0.02; done`;

test("while workers are cut off and the service is killed, nothing acknowledged is lost and nothing runs twice", async () => {
	const random = createRandom(seed);
	const directory = await mkdtemp(join(tmpdir(), "svc-worker-chaos-"));
	const ledger = join(directory, "ledger");
	// All runs may be given up before they begin.
	await writeFile(ledger, "");
	const files = { directory, environment: { ...workerOptions, SVC_WORKERS_LEASE: "5" } };
	let service = await startServiceProcess(files);
	const line = await startCuttingProxy(service.api);
	const key = await createWorkerKey(service);
	const workers = ["one", "two"].map((name) => startWorkerProcess({ directory, name, labels: "far", url: line.url, key }));
	try {
		for (const name of ["one", "two"]) await connected(service, name);
		const ids: string[] = [];
		for (let round = 0; round < roundCount; round += 1) {
			for (let count = 1 + random(4); count > 0; count -= 1) {
				const parameters = { cmd: toCommand(ledger, ids.length), svc_worker_labels: ["far"] };
				ids.push((await service.client.executions.create({ action: "core.local", parameters })).id);
			}
			for (let cuts = random(5); cuts > 0; cuts -= 1) {
				await delay(random(200));
				line.cut();
			}
			if (random(2) === 0) continue;
			await service.kill();
			service = await startServiceProcess({ ...files, token: service.token });
			line.aim(service.api);
		}
		const succeeded: string[] = [];
		for (const [number, id] of ids.entries()) {
			const record = await until(`execution ${id} is final`, 60, async () => {
				const read = await service.client.executions.get(id);
				return isFinal(read) ? read : undefined;
			});
			// Where a slow machine was away for longer than the lease, its run is told to have been given up.
			assert.match(record.status, /^(succeeded|abandoned)$/, `WORKER_SEED=${seed}: ${JSON.stringify(record.result)}`);
			const output = await service.client.executions.output(id, { type: "stdout" });
			if (record.status === "succeeded") {
				assert.equal(output, text, `WORKER_SEED=${seed}`);
				succeeded.push(String(number));
			} else assert.ok(text.startsWith(output), `WORKER_SEED=${seed}: ${output}`);
		}
		const began = (await readFile(ledger, "utf8")).trim().split("\n");
		assert.deepEqual(
			succeeded.filter((number) => !began.includes(number)),
			[],
			`WORKER_SEED=${seed}: succeeded without having run`,
		);
		assert.equal(new Set(began).size, began.length, `WORKER_SEED=${seed}: ran twice: ${began.join(" ")}`);
	} finally {
		for (const worker of workers) await worker.kill();
		await line.close();
		await service.kill();
		endLeftovers(directory);
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
