// test-suite: full
import * as assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createService, loadConfig } from "svc-automation";
import { type Client, createClient, type ExecutionRecord } from "svc-automation/client";
import { test } from "uvu";
import { createSshSite, type SshSite, sshdTest } from "../../plugins-runner/_ssh/sshd.test-support.ts";

// test-timeout: 60
/** Starts the service as the README describes, with the machines of a test site as hosts. */
async function withService(site: SshSite, use: (client: Client) => Promise<void>): Promise<void> {
	Object.assign(process.env, { FLEET_USER: site.username, FLEET_KEY: site.key, FLEET_KNOWN_HOSTS: site.knownHosts });
	const config = await loadConfig(join(import.meta.dirname, "svc.config.ts"));
	const ports = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const env = { ...process.env, ...ports, SVC_DATA_DIR: join(site.directory, "data"), SVC_LOG_LEVEL: "error" };
	const service = createService(config, { env, directory: import.meta.dirname });
	try {
		const { addresses } = await service.start();
		await use(createClient({ apiUrl: addresses.api ?? "" }));
	} finally {
		await service.stop();
	}
}

async function run(client: Client, hosts: string): Promise<ExecutionRecord> {
	const { id } = await client.executions.create({ action: "fleet.uptime", parameters: { hosts } });
	for (;;) {
		const execution = await client.executions.get(id);
		if (["succeeded", "failed", "timeout", "abandoned"].includes(execution.status)) return execution;
		await delay(50);
	}
}

function toPart({ result }: ExecutionRecord, host: string): Readonly<Record<string, unknown>> {
	return Object(result?.[host]);
}

sshdTest(test)("the action runs on three hosts, and one that is down fails alone", async () => {
	const site = await createSshSite();
	try {
		const servers = await Promise.all([1, 2, 3].map(() => site.startSshd()));
		const hosts = servers.map(({ port }) => `127.0.0.1:${port}`);
		await withService(site, async (client) => {
			const first = await run(client, hosts.join(","));
			assert.equal(first.status, "succeeded", JSON.stringify(first.result));
			for (const host of hosts) assert.match(String(toPart(first, host)["stdout"]), /^\d+\.\d+$/);
			await servers[1]?.stop();
			const second = await run(client, hosts.join(","));
			assert.equal(second.status, "failed");
			const succeeded = hosts.map((host) => toPart(second, host)["succeeded"]);
			assert.deepEqual(succeeded, [true, false, true]);
		});
	} finally {
		await site.stop();
	}
});

test.run();
