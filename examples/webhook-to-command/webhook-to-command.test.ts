import * as assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createService, loadConfig, type Service } from "svc-automation";
import { type Client, createClient, type ExecutionRecord } from "svc-automation/client";
import { test } from "uvu";

const directory = mkdtempSync(join(tmpdir(), "svc-webhook-to-command-"));
const secret = "correct horse";
let service: Service | undefined;
let apiUrl = "";
let token = "";
let key = "";

test.before(async () => {
	const config = await loadConfig(join(import.meta.dirname, "svc.config.ts"));
	const env = {
		...{ SVC_DATA_DIR: directory, SVC_LOG_LEVEL: "error" },
		...{ SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" },
	};
	service = createService(config, { env: { ...process.env, ...env }, directory: import.meta.dirname });
	const { addresses, firstUser } = await service.start();
	apiUrl = addresses.api ?? "";
	token = (await createClient({ apiUrl }).signIn({ username: "admin", password: firstUser?.password ?? "" })).token;
	await ask("PUT", "/keys/monitor_secret", { name: "monitor_secret", value: secret, secret: true });
	key = (await client().apiKeys.create({ user: "monitor" })).key ?? "";
});
test.after(async () => {
	await service?.stop();
	rmSync(directory, { recursive: true });
});

function client(): Client {
	return createClient({ apiUrl, token });
}

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
	const headers = { "x-auth-token": token, "content-type": "application/json" };
	const response = await fetch(`${apiUrl}/v1${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
	assert.ok(response.ok, await response.clone().text());
	return (await response.json()) as T;
}

/** Sends a request as the monitor does. */
async function post(body: object, id: string, { credential = key, signed = JSON.stringify(body) } = {}): Promise<Response> {
	const signature = createHmac("sha256", secret).update(signed).digest("hex");
	return fetch(`${apiUrl}/v1/webhooks/monitor/disk`, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			"svc-api-key": credential,
			"x-monitor-signature": signature,
			"x-monitor-delivery": id,
			"svc-trace-tag": `disk-${id}`,
		},
		body: JSON.stringify(body),
	});
}

interface Trace {
	readonly action_executions: readonly { readonly object_id: string; readonly ref: string }[];
	readonly rules: readonly { readonly ref: string }[];
	readonly trigger_instances: readonly { readonly object_id: string }[];
}

/** Resolves once the trace contains this number of executions. */
async function traceOf(id: string, executions: number): Promise<Trace> {
	for (;;) {
		const trace = await ask<Trace>("GET", `/traces/${id}`);
		if (trace.action_executions.length >= executions) return trace;
		await delay(50);
	}
}

async function ended(id: string): Promise<ExecutionRecord> {
	for (;;) {
		const execution = await client().executions.get(id);
		if (execution.end_timestamp !== undefined) return execution;
		await delay(50);
	}
}

const critical = { level: "critical", percent: 97, volume: "/data; rm -rf /" };

test("a signed delivery runs the script, and the end of that a second action, all in one trace", async () => {
	const response = await post(critical, "1");
	assert.equal(response.status, 202, await response.clone().text());
	assert.deepEqual(await response.json(), critical);
	const trace = await traceOf(response.headers.get("svc-trace-id") ?? "", 2);
	assert.deepEqual(
		trace.action_executions.map(({ ref }) => ref),
		["monitor.clean_up", "core.local"],
	);
	assert.deepEqual(
		trace.rules.map(({ ref }) => ref),
		["monitor.disk_full", "monitor.cleaned"],
	);
	assert.equal(trace.trigger_instances[0]?.object_id, response.headers.get("svc-trigger-instance-id"));
	const outputs = await Promise.all(trace.action_executions.map(async ({ object_id }) => (await ended(object_id)).result?.["stdout"]));
	assert.deepEqual(outputs, ["cleaning /data; rm -rf /, 97 % full", "the volume is clean"]);
});

test("a repeated delivery, one below the limit and one changed on its way start nothing", async () => {
	const first = await post(critical, "1");
	assert.equal(first.status, 202);
	assert.equal((await post({ ...critical, percent: 50 }, "2")).status, 202);
	const changed = await post(critical, "3", { signed: "something else" });
	assert.equal(changed.status, 403);
	assert.match(await changed.text(), /the signature does not match/);
	const { items } = await client().webhooks.deliveries();
	assert.deepEqual(
		items.map(({ verdict }) => verdict),
		["refused", "accepted", "duplicate", "accepted"],
	);
	assert.equal((await client().executions.list({ action: "monitor.clean_up" })).total, 1);
});

test("the monitor's key posts to its webhook and does nothing else", async () => {
	const headers = { "svc-api-key": key, "content-type": "application/json" };
	const other = await fetch(`${apiUrl}/v1/webhooks/svc`, { method: "POST", headers, body: "{}" });
	assert.equal(other.status, 403);
	assert.equal((await fetch(`${apiUrl}/v1/executions`, { headers })).status, 403);
	assert.equal((await post(critical, "4", { credential: "wrong" })).status, 401);
});

test("the README names every file of the example", () => {
	const text = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
	for (const name of ["disk_full.yaml", "cleaned.yaml", "clean_up", "svc.config.ts"]) assert.ok(text.includes(name), name);
});

test.run();
