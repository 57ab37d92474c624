// test-timeout: 300
// test-waits
// test-suite: full
import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text as readText } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "svc-automation/client";
import { requires } from "svc-automation/testing";
import { test as plainTest } from "uvu";
import { findByEnvironment } from "../../core/testing/guarantees/processes.test-support.ts";

const withPostgres = Object.assign(requires(plainTest, { command: "postgres" }).test, { skip: plainTest.skip });
const { test } = requires(withPostgres, { command: "nginx" });

/** Starts the cluster as the README describes. After `use`, stops it and removes its files. */
async function withCluster(use: (client: Client) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-cluster-"));
	// If the test runs as root, PostgreSQL runs as another user, who must be able to reach its files.
	await chmod(directory, 0o711);
	const port = await findPorts(4);
	const child = startCluster(directory, port);
	const ended = once(child, "exit");
	try {
		await readUntilReady(child);
		const apiUrl = `http://127.0.0.1:${port}/api`;
		const password = await readFile(join(directory, "admin-password"), "utf8");
		const { token } = await createClient({ apiUrl }).signIn({ username: "admin", password });
		await use(createClient({ apiUrl, token }));
	} finally {
		child.kill("SIGINT");
		assert.deepEqual(await ended, [0, null]);
		await rm(directory, { recursive: true, force: true });
	}
}

function startCluster(directory: string, port: number): ChildProcess {
	return spawn(process.execPath, [fileURLToPath(new URL("start.mjs", import.meta.url))], {
		stdio: ["ignore", "pipe", "inherit"],
		env: { ...process.env, CLUSTER_DIR: directory, CLUSTER_PORT: String(port), SVC_LOG_LEVEL: "warn" },
	});
}

async function accepts(port: number): Promise<boolean> {
	const socket = connect(port, "127.0.0.1");
	const connected = await once(socket, "connect").then(
		() => true,
		() => false,
	);
	socket.destroy();
	return connected;
}

function readUntilReady({ stdout }: ChildProcess): Promise<void> {
	const lines: string[] = [];
	return new Promise((resolve, reject) => {
		createInterface({ input: stdout ?? process.stdin })
			.on("line", (line) => (line.startsWith("Ready at ") ? resolve() : lines.push(line)))
			.on("close", () => reject(new Error(`the cluster has ended: ${lines.join("\n")}`)));
	});
}

/** Returns the first of several consecutive free ports. */
async function findPorts(count: number): Promise<number> {
	for (let first = 20_000 + Math.floor(Math.random() * 10_000); ; first += count) {
		const servers = Array.from({ length: count }, (_none, offset) => createServer().listen(first + offset, "127.0.0.1"));
		const heard = await Promise.allSettled(servers.map((server) => once(server, "listening")));
		for (const server of servers) server.close();
		if (heard.every(({ status }) => status === "fulfilled")) return first;
	}
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
	for (;;) {
		const found = await look();
		if (found !== undefined) return found;
		await pause(100);
	}
}

const workersOf = async (client: Client) => (await client.nodes.list()).items.filter(({ roles }) => roles.includes("worker"));

/** Starts a command and waits for its first line. Returns this line, and an iterator over the further output. */
async function runLocal(client: Client, cmd: string) {
	const { id } = await client.executions.create({ action: "core.local", parameters: { cmd } });
	const output = client.followOutput(id)[Symbol.asyncIterator]();
	const { value } = await output.next();
	return { id, first: value?.data, output };
}

plainTest("where nginx is not installed it says so, and starts nothing", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-cluster-"));
	const folder = join(directory, "examples/cluster");
	await cp(import.meta.dirname, folder, { recursive: true });
	const text = await readFile(join(folder, "start.mjs"), "utf8");
	// The program also searches the directory that Debian uses.
	await writeFile(join(folder, "start.mjs"), text.replace(":/usr/sbin", ""));
	await symlink("/bin/sh", join(directory, "sh"));
	const child = spawn(process.execPath, [join(folder, "start.mjs")], {
		stdio: ["ignore", "ignore", "pipe"],
		env: { PATH: directory, CLUSTER_DIR: join(directory, "data") },
	});
	const [said, [code]] = await Promise.all([readText(child.stderr), once(child, "exit")]);
	assert.equal(code, 1);
	assert.match(said, /^The cluster needs nginx.*Hint: apt install nginx/);
	assert.equal(existsSync(join(directory, "data")), false);
	await rm(directory, { recursive: true });
});

test("when the process that has started it is killed, PostgreSQL and all others end too", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-cluster-"));
	await chmod(directory, 0o711);
	const port = await findPorts(4);
	const child = startCluster(directory, port);
	try {
		await until(async () => (await accepts(port + 1)) || undefined);
		const ended = once(child, "exit");
		child.kill("SIGKILL");
		await ended;
		await until(async () => (await accepts(port + 1)) === false || undefined);
		await until(async () => findByEnvironment(`CLUSTER_DIR=${directory}\0`).length === 0 || undefined);
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
});

test("actions run on workers, their output is live through nginx, and a killed worker is missed by nobody", () =>
	withCluster(async (client) => {
		const directory = await mkdtemp(join(tmpdir(), "svc-cluster-"));
		const gate = join(directory, "gate");
		const waiting = `while [ ! -e ${gate} ]; do sleep 0.1; done`;
		try {
			const live = await runLocal(client, `echo one; ${waiting}; echo two`);
			assert.equal(live.first, "one\n");
			// The command waits for this file, so the output arrived while it ran.
			await writeFile(gate, "");
			assert.equal((await live.output.next()).value?.data, "two\n");
			assert.equal((await live.output.next()).done, true);

			const doomed = await runLocal(client, "echo started; sleep 300");
			// nginx answers as soon as one API node does, so wait for all workers.
			const before = await until(async () => {
				const workers = await workersOf(client);
				return workers.length === 3 ? workers : undefined;
			});
			const nodes = await Promise.all(before.map(({ id }) => client.nodes.get(id)));
			const worker = nodes.find(({ executions }) => executions.some(({ id }) => id === doomed.id));
			assert.ok(worker, "no worker runs it");
			process.kill(worker.pid, "SIGKILL");

			const next = await runLocal(client, "echo here");
			assert.equal(next.first, "here\n");
			assert.equal((await until(async () => endOf(client, doomed.id))).status, "abandoned");
			const after = await until(async () => {
				const ready = (await workersOf(client)).filter(({ state }) => state === "ready");
				return ready.length === 3 && ready.every(({ id }) => id !== worker.id) ? ready : undefined;
			});
			assert.equal(after.filter(({ id }) => !before.some((old) => old.id === id)).length, 1);
			// Otherwise they would try to reach the cluster for 30 seconds after its end.
			for (const { output } of [doomed, next]) await output.return?.();
		} finally {
			await rm(directory, { recursive: true });
		}
	}));

async function endOf(client: Client, id: string) {
	const execution = await client.executions.get(id);
	return execution.end_timestamp === undefined ? undefined : execution;
}

plainTest.run();
