import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createService, loadConfig, type Service } from "svc-automation";
import { type Client, createClient, type ExecutionRecord } from "svc-automation/client";
import { requires } from "svc-automation/testing";
import { test } from "uvu";

const python = requires(test, { command: "python3" });
const directory = mkdtempSync(join(tmpdir(), "svc-python-actions-"));
let service: Service | undefined;
let client: Client | undefined;

test.before(async () => {
	const config = await loadConfig(join(import.meta.dirname, "svc.config.ts"));
	const env = { SVC_DATA_DIR: directory, SVC_LOG_LEVEL: "error", SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	service = createService(config, { env: { ...process.env, ...env }, directory: import.meta.dirname });
	const { addresses } = await service.start();
	client = createClient({ apiUrl: addresses.api ?? "" });
});
test.after(async () => {
	await service?.stop();
	rmSync(directory, { recursive: true });
});

async function run(action: string, parameters: Record<string, string | number> = {}): Promise<ExecutionRecord> {
	assert.ok(client !== undefined);
	const { id } = await client.executions.create({ action, parameters });
	for (;;) {
		const execution = await client.executions.get(id);
		if (["succeeded", "failed", "timeout", "abandoned"].includes(execution.status)) return execution;
		await delay(50);
	}
}

python.test("an action greets with the words of the pack's configuration, and its log is in stderr", async () => {
	const { status, result } = await run("samples.greet", { name: "Ann" });
	assert.equal(status, "succeeded", JSON.stringify(result));
	assert.equal(result?.["result"], "Good morning, Ann!");
	assert.match(String(result?.["stderr"]), /INFO {5}greeting Ann/);
});

python.test("an action keeps a value from run to run in the datastore", async () => {
	const values = [await run("samples.count"), await run("samples.count")].map(({ result }) => result?.["result"] ?? JSON.stringify(result));
	assert.deepEqual(values, [1, 2]);
});

python.test("an action says by a tuple whether it succeeded", async () => {
	const roomy = await run("samples.check_disk", { limit: 100 });
	assert.equal(roomy.status, "succeeded", JSON.stringify(roomy.result));
	const full = await run("samples.check_disk", { limit: -1 });
	assert.equal(full.status, "failed");
	assert.match(JSON.stringify(full.result?.["result"]), /"limit":-1/);
	assert.match(String(full.result?.["stdout"]), /% full\n$/);
});

test("the guide shows an action as it is here", async () => {
	const guide = await readFile(join(import.meta.dirname, "../../docs/guides/write-a-python-action.md"), "utf8");
	for (const file of ["check_disk.py", "check_disk.yaml"])
		assert.ok(guide.includes(await readFile(join(import.meta.dirname, "packs/samples/actions", file), "utf8")), file);
});

test.run();
