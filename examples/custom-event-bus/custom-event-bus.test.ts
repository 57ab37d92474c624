// test-suite: full
import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "svc-automation/client";
import type { EventBus } from "svc-automation/contract";
import { createOptions, testEventBus } from "svc-automation/testing";
import { test } from "uvu";
import { createTestDatabase, postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { socketBus } from "./socket-bus.ts";

const path = (name: string) => join(import.meta.dirname, name);
const directories: string[] = [];
let nodes = 0;

async function makeDirectory(): Promise<string> {
	const directory = await mkdtemp(join(tmpdir(), "svc-custom-event-bus-"));
	directories.push(directory);
	return directory;
}

async function open(directory: string): Promise<EventBus> {
	const bus = socketBus({}).create();
	const ignore = () => {};
	const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
	nodes += 1;
	const [clock, options] = [{ now: () => 0 }, createOptions()];
	await bus.start?.({ logger, clock, dataDirectory: directory, nodeId: `node-${nodes}`, options });
	return bus;
}

testEventBus({
	test,
	name: "socket",
	create: async () => open(await makeDirectory()),
	connect: () => open(directories.at(-1) ?? ""),
});

/** Returns the first event that `there` receives of those that `here` publishes. */
async function send(here: EventBus, there: EventBus, numbers: readonly number[]): Promise<unknown[]> {
	const events = await there.subscribe(["a"], { signal: new AbortController().signal });
	for (const number of numbers) here.publish("a", { number });
	const seen: unknown[] = [];
	for await (const { data } of events) {
		seen.push(data["number"]);
		if (seen.length === numbers.length) break;
	}
	return seen;
}

test("nodes that start at the same moment find each other, and each event arrives once", async () => {
	const directory = await makeDirectory();
	const buses = await Promise.all([1, 2, 3, 4].map(() => open(directory)));
	for (const here of buses) for (const there of buses) assert.deepEqual(await send(here, there, [1, 2, 3]), [1, 2, 3]);
	for (const bus of buses) await bus.stop?.();
	assert.deepEqual(readdirSync(join(directory, "bus")), []);
});

test("the socket that a killed node has left is removed", async () => {
	const directory = await makeDirectory();
	const first = await open(directory);
	const place = join(directory, "bus", "killed");
	const killed = spawn(process.execPath, [
		"-e",
		`require("node:net").createServer().listen(${JSON.stringify(place)}, () => console.log("ready"))`,
	]);
	await once(killed.stdout, "data");
	killed.kill("SIGKILL");
	await once(killed, "exit");
	assert.ok(readdirSync(join(directory, "bus")).includes("killed"));
	const second = await open(directory);
	assert.deepEqual(await send(second, first, [1]), [1]);
	for (const bus of [first, second]) await bus.stop?.();
	assert.deepEqual(readdirSync(join(directory, "bus")), []);
});

test("a node that does not answer holds up a start for two seconds at most", async () => {
	const directory = await makeDirectory();
	const first = await open(directory);
	const silent = createServer();
	await once(silent.listen(join(directory, "bus", "silent")), "listening");
	const second = await open(directory);
	assert.deepEqual(await send(second, first, [1]), [1]);
	for (const bus of [first, second]) await bus.stop?.();
	silent.close();
});

/** Starts a node as the README describes. */
function startNode(directory: string, url: string, parts: string): ChildProcess {
	const words = ["serve", "--config", path("svc.config.ts"), "--only", parts];
	return spawn(process.execPath, [path("../../dist/plugins/_shipped/main.js"), ...words], {
		stdio: ["ignore", "pipe", "inherit"],
		env: {
			...{ ...process.env, DATABASE_URL: url, SVC_DATA_DIR: directory, SVC_LOG_LEVEL: "error" },
			...{ SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" },
		},
	});
}

async function readAddress({ stdout }: ChildProcess): Promise<string> {
	for await (const line of createInterface({ input: stdout ?? process.stdin })) {
		const address = /^API\s+(\S+)\/v1$/.exec(line)?.[1];
		if (address !== undefined) return address;
	}
	throw new Error("the service has ended");
}

postgresTest(test)("what one node runs is followed live on another one", async () => {
	const database = await createTestDatabase();
	const directory = await makeDirectory();
	const front = startNode(directory, database.url, "auth,api,stream,rules,timers,sensors");
	const children = [front, startNode(directory, database.url, "worker")];
	const ended = children.map((child) => once(child, "exit"));
	try {
		const client = createClient({ apiUrl: await readAddress(front) });
		const cmd = `for word in one two; do echo $word; until [ -e ${directory}/$word ]; do sleep 0.1; done; done`;
		const { id } = await client.executions.create({ action: "core.local", parameters: { cmd } });
		let seen = "";
		for await (const { data } of client.followOutput(id)) {
			seen += data;
			// The command continues only after its output has arrived here.
			await writeFile(join(directory, data.trim()), "");
		}
		assert.equal(seen, "one\ntwo\n");
	} finally {
		for (const child of children) child.kill();
		await Promise.all(ended);
		await database.drop();
	}
});

test("the guide shows the event bus as it is here", () => {
	const guide = readFileSync(path("../../docs/guides/write-an-event-bus.md"), "utf8");
	assert.ok(guide.includes(readFileSync(path("socket-bus.ts"), "utf8")));
});

test.after(async () => {
	for (const directory of directories) await rm(directory, { recursive: true });
});

test.run();
