import "../../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { createService, defineConfig, defineRunner } from "../../index.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";

const patient = defineRunner("patient", () => ({
	description: "Waits until it is canceled.",
	capabilities: { cancellation: true },
	parameters: {},
	run: ({ signal }) =>
		new Promise((resolve) => signal.addEventListener("abort", () => resolve({ succeeded: false, result: {} }), { once: true })),
}));

const home = mkdtempSync(join(tmpdir(), "svc-cli-node-"));
const service = createService(
	defineConfig({
		storage: memoryStorage(),
		event_bus: memoryBus(),
		runners: [patient()],
		data_dir: join(home, "data"),
		node: { name: "blue", health_listen: true, health_port: 0 },
		auth: { enable: false, port: 0 },
		api: { port: 0 },
		stream: { port: 0 },
		log: { level: "error" },
	}),
);
let env: Record<string, string> = {};
let addresses: Awaited<ReturnType<typeof service.start>>["addresses"] = {};

async function svc(...words: readonly string[]) {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([""]), env, onInterrupt: () => () => {} });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

const ask = async (url: string | undefined) => {
	const response = await fetch(url ?? "");
	return { status: response.status, retryAfter: response.headers.get("retry-after"), body: await response.json() };
};

test.before(async () => {
	({ addresses } = await service.start());
	env = { HOME: home, SVC_API_URL: addresses.api ?? "" };
	await service.engine.actions.create({ name: "patient", runner_type: "patient" });
});
test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true, force: true });
});

test("nodes are listed and shown, by name and by id", async () => {
	assert.match((await svc("node", "list")).stdout, /id +name +state +roles +running/);
	const { stdout } = await svc("node", "get", "blue");
	assert.match(stdout, /name: blue\n/);
	assert.match(stdout, /state: ready\n/);
	assert.match((await svc("node", "get", service.engine.nodeId, "-j")).stdout, /"late_writes": 0/);
	const missing = await svc("node", "get", "green");
	assert.deepEqual([missing.exitCode, /node "green" is not found; `svc node list`/.test(missing.stderr)], [2, true]);
});

test("drain --wait says what still runs and ends when nothing does, and resume takes it back", async () => {
	const principal = { username: "maria", isAdmin: true, authentication: { method: "none" } } as const;
	const { entity } = await service.engine.executions.submit({ action: "default.patient" }, principal);
	while ((await service.engine.executions.get(entity.id)).entity.status !== "running")
		await new Promise((resolve) => setTimeout(resolve, 2));
	const draining = svc("node", "drain", "blue", "--wait");
	while ((await ask(`${addresses.health}/health/ready`)).status === 200) await new Promise((resolve) => setTimeout(resolve, 2));
	assert.deepEqual(await ask(`${addresses.stream}/stream/v1/health/ready`), {
		status: 503,
		retryAfter: "1",
		body: { ready: false, reasons: ["draining"], faultstring: "not ready: draining" },
	});
	assert.equal((await ask(`${addresses.api}/health/live`)).status, 200);
	assert.equal((await ask(`${addresses.api}/v1/executions`)).status, 200, "it answers all the same");
	await service.engine.executions.cancel(entity.id, principal);
	const { exitCode, stdout, stderr } = await draining;
	assert.equal(exitCode, 0);
	assert.match(stderr, new RegExp(`node "blue" is draining; still running:\n {2}${entity.id} default\\.patient running`));
	assert.match(stdout, /state: drained\n/);
	assert.equal((await svc("node", "resume", "blue")).exitCode, 0);
	while ((await ask(`${addresses.auth}/auth/v1/health/ready`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 2));
	assert.match((await svc("node", "get", "blue")).stdout, /state: ready\n/);
});

test("the service registry lists roles and who has them", async () => {
	const { body: groups } = await ask(`${addresses.api}/v1/service_registry/groups`);
	assert.deepEqual(groups, { groups: ["auth", "api", "stream", "worker", "rules", "timers", "sensors"] });
	const { body } = await ask(`${addresses.api}/v1/service_registry/groups/api/members`);
	const { members } = body as { members: { capabilities: Record<string, unknown> }[] };
	assert.deepEqual(
		members.map(({ capabilities: { name, pid, listen_port, type } }) => ({ name, pid, listen_port, type })),
		[{ name: "api", pid: process.pid, listen_port: Number(new URL(addresses.api ?? "").port), type: "active" }],
	);
	assert.equal((await ask(`${addresses.api}/v1/service_registry/groups/nobody/members`)).status, 404);
});

test("the listener for health checks answers nothing else", async () => {
	assert.deepEqual(await ask(`${addresses.health}/health/ready`), { status: 200, retryAfter: null, body: { ready: true } });
	assert.equal((await ask(`${addresses.health}/v1/executions`)).status, 404);
});

test("serve takes its parts as a list, in one word or several", async () => {
	const given: unknown[] = [];
	const context = { stdout: new CapturedText(), stderr: new CapturedText(), serve: async (options: object) => given.push(options) * 0 };
	await runSvc(["serve", "--only", "api,worker", "--only", "rules"], context);
	assert.deepEqual(given, [{ config: "./svc.config.ts", only: ["api", "worker", "rules"], open: false }]);
});

test.run();
