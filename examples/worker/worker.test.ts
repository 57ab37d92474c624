// test-suite: full
import * as assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { createService, loadConfig, type Service } from "svc-automation";
import { type Client, createClient } from "svc-automation/client";
import { test } from "uvu";

const path = (name: string) => join(import.meta.dirname, name);
const main = path("../../dist/plugins/_shipped/main.js");
const directory = mkdtempSync(join(tmpdir(), "svc-worker-example-"));
let service: Service | undefined;
let apiUrl = "";
let client: Client;

test.before(async () => {
	const ports = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const env = { ...process.env, ...ports, SVC_DATA_DIR: join(directory, "data"), SVC_LOG_LEVEL: "error" };
	service = createService(await loadConfig(path("svc.config.ts")), { env, directory: import.meta.dirname });
	const { addresses, firstUser } = await service.start();
	apiUrl = addresses.api ?? "";
	const { token } = await createClient({ apiUrl }).signIn({ username: "admin", password: firstUser?.password ?? "" });
	client = createClient({ apiUrl, token });
	// Created as the README describes.
	const asked = [
		"apikey",
		"create",
		"--user",
		"hamburg",
		"--scopes",
		"worker:site-hamburg",
		"--only-key",
		"--api-url",
		apiUrl,
		"-t",
		token,
	];
	const { stdout } = await promisify(execFile)(process.execPath, [main, ...asked], { env: { ...process.env, SVC_CLI_SKIP_CONFIG: "1" } });
	writeFileSync(join(directory, "worker.key"), stdout, { mode: 0o600 });
});
test.after(async () => {
	await service?.stop();
	rmSync(directory, { recursive: true });
});

/** Starts it as the README describes. */
function startWorker(labels = "site-hamburg"): ChildProcess {
	const options = ["--config", path("svc.config.ts"), "--data-dir", join(directory, "worker"), "--api-url", apiUrl];
	return spawn(process.execPath, [main, "worker", ...options, "--labels", labels, "--name", "hamburg-1"], {
		env: { ...process.env, SVC_API_KEY_FILE: join(directory, "worker.key"), SVC_CLI_SKIP_CONFIG: "1", SVC_LOG_LEVEL: "error" },
		stdio: ["ignore", "ignore", "pipe"],
	});
}

async function endOf(id: string) {
	for (;;) {
		const execution = await client.executions.get(id);
		if (execution.end_timestamp !== undefined) return execution;
		await delay(50);
	}
}

test("the action runs on the worker, and waits where there is none", async () => {
	const { id } = await client.executions.create({ action: "site.report" });
	const worker = startWorker();
	try {
		const { status, result } = await endOf(id);
		assert.equal(status, "succeeded", JSON.stringify(result));
		assert.match(String(result?.["stdout"]), /^worker hamburg-1 in .*worker/);
	} catch (error) {
		worker.kill();
		throw error;
	}
	worker.kill("SIGTERM");
	assert.deepEqual(await once(worker, "exit"), [0, null]);
	const later = await client.executions.create({ action: "site.report" });
	await delay(300);
	assert.equal((await client.executions.get(later.id)).end_timestamp, undefined);
	await client.executions.cancel(later.id);
	assert.equal((await endOf(later.id)).status, "canceled");
});

test("the key is good for its label and for nothing else", async () => {
	const worker = startWorker("elsewhere");
	worker.stderr?.resume();
	const [code] = await once(worker, "exit");
	assert.notEqual(code, 0);
});

test.run();
