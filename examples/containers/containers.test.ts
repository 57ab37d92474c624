// test-timeout: 180
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

/** The service as the README starts it. */
async function startService(directory: string, host: string): Promise<Service> {
	const ports = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const child = spawn(process.execPath, [path("../../dist/core/main.js"), "serve", "--config", path("svc.config.ts")], {
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

podmanTest(test)("a service that is killed finds its container again: every line once, and nothing left", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-containers-"));
	const podman = await Podman.start();
	let service = await startService(directory, podman.host);
	try {
		const parameters = { image: podman.image };
		const { id } = await createClient({ apiUrl: service.apiUrl }).executions.create({ action: "ops.count", parameters });
		let seen = "";
		for await (const { data } of createClient({ apiUrl: service.apiUrl }).followOutput(id)) {
			seen += data;
			if (seen.includes("line 5\n")) break;
		}
		await service.end("SIGKILL");
		service = await startService(directory, podman.host);
		const client = createClient({ apiUrl: service.apiUrl });
		let execution = await client.executions.get(id);
		for (; execution.end_timestamp === undefined; execution = await client.executions.get(id)) await delay(200);
		assert.equal(execution.status, "succeeded");
		const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
		assert.equal(execution.result?.["stdout"], lines.join("\n"));
		assert.equal(await podman.accepted(), 1);
		while ((await podman.jobs()).length > 0) await delay(100);
	} finally {
		await service.end("SIGTERM");
		await podman.stop();
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
