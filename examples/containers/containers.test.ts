// test-timeout: 180
// test-suite: full
import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "svc-automation/client";
import { test } from "uvu";
import { Podman, podmanTest } from "../../plugins-runner/_container/podman.test-support.ts";

const path = (name: string) => join(import.meta.dirname, name);

interface Service {
	readonly apiUrl: string;
	end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the service as the README describes. */
async function startService(directory: string, host: string): Promise<Service> {
	const ports = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const child = spawn(process.execPath, [path("../../dist/plugins/_shipped/main.js"), "serve", "--config", path("svc.config.ts")], {
		stdio: ["ignore", "pipe", "inherit"],
		env: { ...process.env, ...ports, CONTAINER_HOST: host, SVC_DATA_DIR: directory, SVC_LOG_LEVEL: "error" },
	});
	const ended = once(child, "exit");
	const end = async (signal: NodeJS.Signals) => {
		child.kill(signal);
		await ended;
	};
	return { apiUrl: await readAddress(child), end };
}

async function readAddress({ stdout }: ChildProcess): Promise<string> {
	for await (const line of createInterface({ input: stdout ?? process.stdin })) {
		const address = /^API\s+(\S+)\/v1$/.exec(line)?.[1];
		if (address !== undefined) return address;
	}
	throw new Error("the service has ended");
}

const engineTest = podmanTest(test);
let directory = "";
let podman: Podman | undefined;
let service: Service | undefined;

/** Starts a container engine that has the image of the actions, and the service. */
async function begin(): Promise<Podman> {
	if (podman !== undefined) return podman;
	directory = await mkdtemp(join(tmpdir(), "svc-containers-"));
	podman = await Podman.start();
	const tag = { repo: "docker.io/library/busybox", tag: "1.36" };
	await podman.client.json({ method: "POST", path: `/images/${encodeURIComponent(podman.image)}/tag`, query: tag });
	service = await startService(directory, podman.host);
	return podman;
}

test.after(async () => {
	await service?.end("SIGTERM");
	await podman?.stop();
	if (directory !== "") await rm(directory, { recursive: true, force: true });
});

function toClient() {
	return createClient({ apiUrl: service?.apiUrl ?? "" });
}

async function settled(id: string) {
	const client = toClient();
	let execution = await client.executions.get(id);
	for (; execution.end_timestamp === undefined; execution = await client.executions.get(id)) await delay(200);
	return execution;
}

engineTest("a script that names a container runs in it with the files of its pack, and nothing of it is left", async () => {
	const engine = await begin();
	const { id } = await toClient().executions.create({ action: "ops.look", parameters: { name: "Ada" } });
	const { status, result } = await settled(id);
	assert.equal(status, "succeeded", JSON.stringify(result));
	assert.deepEqual(String(result?.["stdout"]).split("\n"), [
		"hello Ada, from user 65534 in /svc/pack",
		"actions of the pack: count.yaml look.sh look.yaml",
		"nothing may be written but /tmp",
		"no network",
	]);
	while ((await engine.jobs()).length > 0) await delay(100);
	// A caller cannot choose the container.
	const wrong = { action: "ops.look", parameters: { svc_container: "docker.io/library/alpine:3" } };
	await assert.rejects(toClient().executions.create(wrong), /container/);
});

engineTest("a service that is killed finds its container again: every line once, and nothing left", async () => {
	const engine = await begin();
	const before = await engine.accepted();
	const { id } = await toClient().executions.create({ action: "ops.count" });
	let seen = "";
	for await (const { data } of toClient().followOutput(id)) {
		seen += data;
		if (seen.includes("line 5\n")) break;
	}
	await service?.end("SIGKILL");
	service = await startService(directory, engine.host);
	const execution = await settled(id);
	assert.equal(execution.status, "succeeded");
	const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
	assert.equal(execution.result?.["stdout"], lines.join("\n"));
	assert.equal((await engine.accepted()) - before, 1);
	while ((await engine.jobs()).length > 0) await delay(100);
});

test.run();
