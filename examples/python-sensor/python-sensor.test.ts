import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createService, loadConfig, type Service } from "svc-automation";
import { type Client, createClient } from "svc-automation/client";
import { requires } from "svc-automation/testing";
import { test } from "uvu";

const python = requires(test, { command: "python3" });
const directory = mkdtempSync(join(tmpdir(), "svc-python-sensor-"));
const inbox = join(directory, "inbox");

async function start(): Promise<{ service: Service; client: Client }> {
	mkdirSync(join(directory, "configs"), { recursive: true });
	writeFileSync(join(directory, "configs/inbox.yaml"), `directory: ${JSON.stringify(inbox)}\n`);
	const config = { ...(await loadConfig(join(import.meta.dirname, "svc.config.ts"))), configs: join(directory, "configs") };
	const env = { SVC_DATA_DIR: directory, SVC_LOG_LEVEL: "error", SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const service = createService(config, { env: { ...process.env, ...env }, directory: import.meta.dirname });
	return { service, client: createClient({ apiUrl: (await service.start()).addresses.api ?? "" }) };
}

/** Returns the output of the action once it has run this often. */
async function printed(client: Client, count: number): Promise<readonly unknown[]> {
	for (;;) {
		const { items } = await client.executions.list({ action: "core.echo" });
		const done = items.filter(({ end_timestamp }) => end_timestamp !== undefined);
		if (done.length >= count) return done.map(({ result }) => result?.["stdout"]).sort();
		await delay(50);
	}
}

python.test("files that appear run the action once each, over a restart", async () => {
	mkdirSync(inbox, { recursive: true });
	writeFileSync(join(inbox, "letter.pdf"), "Dear Sir");
	writeFileSync(join(inbox, "letter.txt"), "");
	const first = await start();
	assert.deepEqual(await printed(first.client, 1), ["letter.pdf has arrived (8 bytes)"]);
	const sensor = await first.client.sensors.get("inbox.InboxSensor");
	assert.deepEqual(
		[sensor.state, sensor.entry_point, sensor.metadata_file],
		["running", "sensors.inbox.InboxSensor", "sensors/inbox.yaml"],
	);
	await first.service.stop();
	writeFileSync(join(inbox, "bill.pdf"), "");
	const second = await start();
	assert.deepEqual(await printed(second.client, 2), ["bill.pdf has arrived (0 bytes)", "letter.pdf has arrived (8 bytes)"]);
	await second.service.stop();
});

test("the guide shows the sensor as it is here", () => {
	const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/write-a-sensor.md"), "utf8");
	for (const file of ["inbox.yaml", "inbox.py"])
		assert.ok(guide.includes(readFileSync(join(import.meta.dirname, "packs/inbox/sensors", file), "utf8")), file);
});

test.after(() => rmSync(directory, { recursive: true }));

test.run();
