import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createService, loadConfig } from "svc-automation";
import { createClient, type ExecutionRecord } from "svc-automation/client";
import { requires } from "svc-automation/testing";
import { test } from "uvu";

const directory = mkdtempSync(join(tmpdir(), "svc-packs-"));
const repository = join(directory, "disk");
const git = (...words: string[]) =>
	execFileSync("git", ["-c", "user.name=you", "-c", "user.email=you@localhost", ...words], { cwd: repository });

function change(file: string, before: string, after: string): void {
	writeFileSync(join(repository, file), readFileSync(join(repository, file), "utf8").replace(before, after));
	git("commit", "--quiet", "--all", "--message", after);
}

requires(test, { command: "git" }).test("a pack is installed, run, upgraded, and stays where an upgrade cannot be used", async () => {
	cpSync(join(import.meta.dirname, "disk"), repository, { recursive: true });
	git("init", "--quiet");
	git("add", "--all");
	git("commit", "--quiet", "--message", "The first version");
	const env = {
		SVC_DATA_DIR: join(directory, "data"),
		SVC_LOG_LEVEL: "error",
		SVC_AUTH_PORT: "0",
		SVC_API_PORT: "0",
		SVC_STREAM_PORT: "0",
	};
	const config = await loadConfig(join(import.meta.dirname, "svc.config.ts"));
	const service = createService(config, { env: { ...process.env, ...env }, directory: import.meta.dirname });
	try {
		const client = createClient({ apiUrl: (await service.start()).addresses.api ?? "" });
		const ended = async (id: string): Promise<ExecutionRecord> => {
			for (;;) {
				const execution = await client.executions.get(id);
				if (execution.end_timestamp !== undefined) return execution;
				await delay(50);
			}
		};
		const usage = async () => (await ended((await client.executions.create({ action: "disk.usage" })).id)).result?.["stdout"];
		const upgrade = async () => ended((await client.packInstalls.upgrade(["disk"])).execution_id);
		await ended((await client.packInstalls.install({ packs: [`file://${repository}/.git`] })).execution_id);
		assert.match(String(await usage()), /^\d+% of \/ is in use$/);
		change("actions/usage.sh", "in use", "taken");
		await upgrade();
		assert.match(String(await usage()), /is taken$/);
		change("actions/usage.yaml", "runner_type", "runner");
		assert.match(String((await upgrade()).result?.["error"]), /actions\/usage\.yaml: .*"runner"/);
		assert.match(String(await usage()), /is taken$/);
	} finally {
		await service.stop();
		// The files and directories of installed packs are read-only.
		execFileSync("sh", ["-c", 'chmod -R u+w "$0" && rm -r "$0"', directory]);
	}
});

test.run();
