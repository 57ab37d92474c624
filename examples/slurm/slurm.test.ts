// test-waits
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createService, loadConfig } from "svc-automation";
import { createClient } from "svc-automation/client";
import { test } from "uvu";
import { slurmTest, startSlurm } from "../../plugins-runner/slurm/slurm.test-support.ts";

slurmTest(test)("the items of a workflow are one array, and what is taken away is done once more", async () => {
	const cluster = await startSlurm();
	const directory = await mkdtemp(join(tmpdir(), "svc-slurm-data-"));
	Object.assign(process.env, { SHARED_DIRECTORY: cluster.directory, SLURM_CONF: cluster.conf });
	const ports = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const env = { ...process.env, ...ports, SVC_DATA_DIR: directory, SVC_LOG_LEVEL: "error" };
	const config = await loadConfig(join(import.meta.dirname, "svc.config.ts"));
	const service = createService(config, { env, directory: import.meta.dirname });
	try {
		const { executions } = createClient({ apiUrl: (await service.start()).addresses.api ?? "" });
		const { id } = await executions.create({ action: "lab.sweep", parameters: { seeds: [1, 2, 3] } });
		const running = () => cluster.ask("squeue", "--noheader", "--array", "--states=RUNNING", "--format=%i");
		let task: string | undefined;
		while (task === undefined) task = (await running()).split("\n").find((line) => line.endsWith("_1"));
		await cluster.ask("scancel", task);
		let execution = await executions.get(id);
		for (; execution.end_timestamp === undefined; execution = await executions.get(id)) await delay(200);
		assert.equal(execution.status, "succeeded", JSON.stringify(execution.result));
		const { output } = execution.result as { output: { estimates: string[] } };
		assert.deepEqual(output.estimates.map(Number).map(Math.round), [3, 3, 3]);
		assert.equal(await cluster.accepted(), 2);
	} finally {
		await service.stop();
		await cluster.stop();
		await rm(directory, { recursive: true });
	}
});

test.run();
