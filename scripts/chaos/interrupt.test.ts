// test-suite: full
// test-timeout: 120
import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { postgresTest } from "../../core/testing/services/postgres.test-support.ts";

/** Command lines of processes that were started with this directory for their temporary files. */
async function findProcesses(directory: string): Promise<readonly string[]> {
	const found: string[] = [];
	for (const pid of await readdir("/proc")) {
		if (!/^\d+$/.test(pid)) continue;
		const [environment = "", command = ""] = await Promise.all(
			["environ", "cmdline"].map((file) => readFile(join("/proc", pid, file), "latin1").catch(() => "")),
		);
		if (environment.includes(`=${directory}`)) found.push(command.replaceAll("\0", " "));
	}
	return found;
}

/** Those of them that do not end by themselves: the launcher of a killed node does, as soon as it sees that its node is gone. */
async function findLasting(directory: string): Promise<readonly string[]> {
	const latest = performance.now() + 20_000;
	let found = await findProcesses(directory);
	while (found.length > 0 && performance.now() < latest) {
		await delay(50);
		found = await findProcesses(directory);
	}
	return found;
}

// SIGINT has the same handler.
postgresTest(test)("a chaos run that is ended by SIGTERM takes its nodes and its database along", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-chaos-end-"));
	// The database server runs as another user, who must be able to enter the directory.
	await chmod(directory, 0o755);
	try {
		const args = ["--import", "tsx", "scripts/chaos/main.ts", "--seconds", "60"];
		// A process group of its own, as the signal goes to the one process.
		const chaos = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: directory }, stdio: "ignore", detached: true });
		const ended = once(chaos, "exit");
		const hasNode = async () => (await findProcesses(directory)).filter((command) => command.includes(" serve ")).length >= 1;
		while (chaos.exitCode === null && !(await hasNode())) await delay(200);
		chaos.kill("SIGTERM");
		assert.deepEqual(await ended, [130, null]);
		assert.deepEqual(await findLasting(directory), []);
		assert.deepEqual(
			(await readdir(directory)).filter((name) => name.startsWith("svc-")),
			[],
		);
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
});

test.run();
