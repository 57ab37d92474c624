// test-suite: full
import * as assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createService, loadConfig, type Service } from "svc-automation";
import { createClient, type ExecutionRecord } from "svc-automation/client";
import { testSensor } from "svc-automation/testing";
import { test } from "uvu";
import { inbox } from "./inbox.ts";

testSensor({
	test,
	name: "inbox",
	create: async () => {
		const directory = await mkdtemp(join(tmpdir(), "svc-inbox-"));
		let count = 0;
		return {
			plugin: inbox({ directory }),
			host: { poll_interval: 0.02 },
			provoke: () => writeFile(join(directory, `file ${++count}`), ""),
			cleanUp: () => rm(directory, { recursive: true }),
		};
	},
});

const directory = mkdtempSync(join(tmpdir(), "svc-custom-sensor-"));

async function start(): Promise<{ service: Service; apiUrl: string }> {
	const config = await loadConfig(join(import.meta.dirname, "svc.config.ts"));
	const env = { SVC_DATA_DIR: directory, SVC_LOG_LEVEL: "error", SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const service = createService(config, { env: { ...process.env, ...env }, directory: import.meta.dirname });
	return { service, apiUrl: (await service.start()).addresses.api ?? "" };
}

async function ended(apiUrl: string, count: number): Promise<readonly ExecutionRecord[]> {
	for (;;) {
		const { items } = await createClient({ apiUrl }).executions.list({ action: "core.echo" });
		const done = items.filter(({ end_timestamp }) => end_timestamp !== undefined);
		if (done.length >= count) return done;
		await delay(50);
	}
}

test("files that appear run the action once each, over a restart", async () => {
	const first = await start();
	await writeFile(join(directory, "inbox", "letter.pdf"), "Dear Sir");
	await writeFile(join(directory, "inbox", "letter.txt"), "");
	const [execution] = await ended(first.apiUrl, 1);
	assert.equal(execution?.result?.["stdout"], "letter.pdf has arrived (8 bytes)");
	await first.service.stop();
	await writeFile(join(directory, "inbox", "bill.pdf"), "");
	const second = await start();
	assert.equal((await ended(second.apiUrl, 2)).length, 2);
	const sensor = await createClient({ apiUrl: second.apiUrl }).sensors.get("office.inbox");
	assert.equal(sensor.state, "running");
	await second.service.stop();
});

test("the guide shows the sensor as it is here", () => {
	const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/write-a-sensor.md"), "utf8");
	assert.ok(guide.includes(readFileSync(join(import.meta.dirname, "inbox.ts"), "utf8")));
});

test.after(() => rmSync(directory, { recursive: true }));

test.run();
