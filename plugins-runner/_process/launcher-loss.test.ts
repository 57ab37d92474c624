// test-waits
import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { createMarker, eventually, findProcesses, runShell, spawners, withLauncher } from "./launcher.test-support.ts";
import { Launcher } from "./launcher.ts";
import { acquireLauncher } from "./shared-launcher.ts";

for (const spawner of spawners) {
	test(`${spawner}: a launcher killed in mid-run fails the run, leaves no process, and the next run gets a new one`, () =>
		withLauncher(spawner, async (launcher) => {
			const marker = createMarker();
			const { running } = await startSleeper(launcher, marker);
			const first = launcher.pid;
			assert.ok(first !== undefined);
			process.kill(first, "SIGKILL");
			await assert.rejects(running, (error) => isSvcError(error, "SVC_RUNNER") && /launcher ended unexpectedly/.test(error.message));
			assert.ok(await eventually(() => findProcesses(marker).length === 0));
			assert.equal((await runShell(launcher, "echo again")).stdout, "again\n");
			assert.notEqual(launcher.pid, first);
		}));

	test(`${spawner}: a server killed in mid-run leaves neither a process nor the launcher behind`, async () => {
		const marker = createMarker();
		const program = `
			import { Launcher } from ${JSON.stringify(new URL("./launcher.ts", import.meta.url).href)};
			const launcher = new Launcher({ spawner: ${JSON.stringify(spawner)} });
			const common = { cwd: "/", env: { PATH: process.env.PATH }, signal: new AbortController().signal, onStderr() {} };
			const run = (command) => launcher.run({ ...common, file: "/bin/bash", args: ["-c", command], onStdout: () => console.log(launcher.pid) });
			void run("trap '' TERM; echo ready; sleep ${marker} & sleep ${marker}");
			void run("set -m; sleep ${marker} & echo ready; sleep ${marker}");
		`;
		const server = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		let printed = "";
		server.stdout.on("data", (bytes) => (printed += bytes));
		assert.ok(await eventually(() => printed.split("\n").length === 3, 20_000));
		assert.ok(findProcesses(marker).length >= 4);
		server.kill("SIGKILL");
		await once(server, "exit");
		const launcherPid = Number(printed.split("\n")[0]);
		assert.ok(await eventually(() => findProcesses(marker).length === 0 && !isRunning(launcherPid)), findProcesses(marker).join("\n"));
	});

	test(`${spawner}: stop ends what still runs`, async () => {
		const marker = createMarker();
		const launcher = new Launcher({ spawner });
		const { running } = await startSleeper(launcher, marker);
		const refused = assert.rejects(running, (error) => isSvcError(error, "SVC_RUNNER"));
		await launcher.stop();
		await refused;
		assert.ok(await eventually(() => findProcesses(marker).length === 0));
		await assert.rejects(runShell(launcher, "true"), /service is stopping/);
		await launcher.stop();
	});
}

test("a launcher that hangs does not keep stop from ending everything", async () => {
	const marker = createMarker();
	const launcher = new Launcher();
	const { running } = await startSleeper(launcher, marker);
	assert.ok(launcher.pid !== undefined);
	process.kill(launcher.pid, "SIGSTOP");
	await Promise.all([assert.rejects(running, /service stopped/), launcher.stop()]);
	assert.ok(await eventually(() => findProcesses(marker).length === 0));
});

test("TERM and INT to the launcher do not end it: the server does", () =>
	withLauncher("posix_spawn", async (launcher) => {
		await launcher.start();
		const { pid } = launcher;
		assert.ok(pid !== undefined);
		for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.kill(pid, signal);
		assert.equal((await runShell(launcher, "echo here")).stdout, "here\n");
		assert.equal(launcher.pid, pid);
	}));

test("the runners of one node share a launcher, which ends with the last of them", async () => {
	const logger = { debug() {}, info() {}, warn() {}, error() {} };
	const [first, second] = [acquireLauncher({ nodeId: "a", logger }), acquireLauncher({ nodeId: "a", logger })];
	const other = acquireLauncher({ nodeId: "b", logger });
	assert.equal(first.launcher, second.launcher);
	// It is started by the first run only: a service at rest need not hold its memory.
	await setTimeout(50);
	assert.equal(first.launcher.pid, undefined);
	assert.notEqual(first.launcher, other.launcher);
	await first.release();
	await first.release();
	assert.equal((await runShell(second.launcher, "echo on")).stdout, "on\n");
	const { pid } = second.launcher;
	await Promise.all([second.release(), other.release()]);
	assert.ok(pid !== undefined && !isRunning(pid));
});

test("a launcher process starts with the first run, ends when it has been idle, and is not lost; the next run gets a new one", async () => {
	let losses = 0;
	const launcher = new Launcher({ idleTimeoutMs: 50, onLost: () => (losses += 1) });
	try {
		assert.equal(launcher.pid, undefined);
		// Longer than twice the time for which it may be idle.
		const { stdout } = await runShell(launcher, "sleep 0.3; echo $PPID");
		const pid = Number(stdout);
		assert.equal(launcher.pid, pid);
		assert.ok(await eventually(() => launcher.pid === undefined && !isRunning(pid)));
		assert.notEqual(Number((await runShell(launcher, "echo $PPID")).stdout), pid);
		assert.equal(losses, 0);
	} finally {
		await launcher.stop();
	}
});

test("stop waits for an idle launcher that is ending, and kills one that hangs", async () => {
	const launcher = new Launcher({ idleTimeoutMs: 50 });
	const pid = Number((await runShell(launcher, "echo $PPID")).stdout);
	process.kill(pid, "SIGSTOP");
	assert.ok(await eventually(() => launcher.pid === undefined));
	await launcher.stop();
	assert.ok(!isRunning(pid));
});

test("a launcher process that cannot be started fails the run with the reason, and the next run tries again", async () => {
	let losses = 0;
	const launcher = new Launcher({ onLost: () => (losses += 1) });
	const { execPath } = process;
	try {
		process.execPath = "/nowhere/node";
		await assert.rejects(
			runShell(launcher, "true"),
			(error) => isSvcError(error, "SVC_RUNNER") && /launcher cannot be started/.test(error.message) && /ENOENT/.test(String(error.cause)),
		);
		process.execPath = execPath;
		assert.equal((await runShell(launcher, "echo again")).stdout, "again\n");
		assert.equal(losses, 0);
	} finally {
		process.execPath = execPath;
		await launcher.stop();
	}
});

/** Start a process that sleeps, and wait until it does. */
async function startSleeper(launcher: Launcher, marker: string): Promise<{ readonly running: Promise<unknown> }> {
	let ready: () => void = () => {};
	const begun = new Promise<void>((resolve) => {
		ready = resolve;
	});
	const running = runShell(launcher, `trap '' TERM; echo ready; sleep ${marker} & sleep ${marker}`, { onStdout: () => ready() });
	running.catch(() => {});
	await begun;
	return { running };
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

test.run();
