// test-suite: full
import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient, type ExecutionRecord } from "svc-automation/client";
import type { Storage } from "svc-automation/contract";
import { createOptions, testStorage } from "svc-automation/testing";
import { test } from "uvu";
import { journalStorage } from "./journal-storage.ts";

const path = (name: string) => join(import.meta.dirname, name);

async function open(directory: string): Promise<Storage> {
	const storage = journalStorage({}).create();
	const ignore = () => {};
	const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
	await storage.start?.({ logger, clock: { now: () => 0 }, dataDirectory: directory, nodeId: "test", options: createOptions() });
	return storage;
}

testStorage({
	test,
	name: "journal",
	create: async () => {
		const directory = await mkdtemp(join(tmpdir(), "svc-journal-"));
		let storage = await open(directory);
		return {
			storage,
			reopen: async () => {
				await storage.stop?.();
				storage = await open(directory);
				return storage;
			},
			stop: async () => {
				await storage.stop?.();
				await rm(directory, { recursive: true });
			},
		};
	},
});

const trace = (id: string) => ({ id, trace_tag: `tag of ${id}`, start_timestamp: "2030-01-02T03:04:05.678901Z", traceparent: null });

async function withDirectory(use: (directory: string) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-custom-storage-"));
	try {
		await use(directory);
	} finally {
		await rm(directory, { recursive: true });
	}
}

test("a write that a crash has cut off is gone, and everything before it is there", () =>
	withDirectory(async (directory) => {
		const first = await open(directory);
		await first.insert("trace", [trace("a"), trace("b")]);
		await first.stop?.();
		appendFileSync(join(directory, "svc.journal"), '[["trace","c",{"id":"c","trace_tag":"half a l');
		const second = await open(directory);
		await second.insert("trace", [trace("d")]);
		await second.stop?.();
		const third = await open(directory);
		assert.deepEqual(await third.find("trace", {}), ["a", "b", "d"].map(trace));
		await third.stop?.();
	}));

test("a start leaves out of the journal what was changed and removed", () =>
	withDirectory(async (directory) => {
		const first = await open(directory);
		await first.insert("trace", [trace("a"), trace("b")]);
		for (let count = 0; count < 100; count += 1) await first.update("trace", "a", { trace_tag: `${count}` });
		await first.remove("trace", { where: { id: "b" } });
		await first.stop?.();
		const before = statSync(join(directory, "svc.journal")).size;
		const second = await open(directory);
		assert.deepEqual(await second.find("trace", {}), [{ ...trace("a"), trace_tag: "99" }]);
		await second.stop?.();
		assert.ok(statSync(join(directory, "svc.journal")).size < before / 50);
	}));

/** Starts the service as the README describes. After `use`, kills it, so that it cannot write anything. */
async function withService(directory: string, use: (client: Client) => Promise<void>): Promise<void> {
	const ports = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const child = spawn(process.execPath, [path("../../dist/plugins/_shipped/main.js"), "serve", "--config", path("svc.config.ts")], {
		stdio: ["ignore", "pipe", "inherit"],
		env: { ...process.env, ...ports, SVC_DATA_DIR: directory, SVC_LOG_LEVEL: "error" },
	});
	const ended = once(child, "exit");
	try {
		await use(createClient({ apiUrl: await readAddress(child) }));
	} finally {
		child.kill("SIGKILL");
		await ended;
	}
}

async function readAddress({ stdout }: ChildProcess): Promise<string> {
	for await (const line of createInterface({ input: stdout ?? process.stdin })) {
		const address = /^API\s+(\S+)\/v1$/.exec(line)?.[1];
		if (address !== undefined) return address;
	}
	throw new Error("the service has ended");
}

async function run(client: Client, cmd: string): Promise<ExecutionRecord> {
	const { id } = await client.executions.create({ action: "core.local", parameters: { cmd } });
	for (;;) {
		const execution = await client.executions.get(id);
		if (execution.end_timestamp !== undefined) return execution;
		await delay(50);
	}
}

test("the service runs on it, and has its records after it was killed", () =>
	withDirectory(async (directory) => {
		const ended: ExecutionRecord[] = [];
		await withService(directory, async (client) => {
			for (const word of ["one", "two"]) ended.push(await run(client, `echo ${word}`));
			await client.keys.set("colour", { value: "green" });
		});
		assert.deepEqual(
			ended.map(({ result }) => result?.["stdout"]),
			["one", "two"],
		);
		await withService(directory, async (client) => {
			for (const execution of ended)
				assert.deepEqual({ ...(await client.executions.get(execution.id)), web_url: execution.web_url }, execution);
			assert.equal(await client.executions.output(ended[1]?.id ?? ""), "two\n");
			assert.equal((await client.keys.get("colour")).value, "green");
			assert.equal((await run(client, "echo three")).result?.["stdout"], "three");
		});
	}));

test("the guide shows code of the storage as it is here", () => {
	const guide = readFileSync(path("../../docs/guides/write-a-storage.md"), "utf8");
	const files = ["journal-storage.ts", "conditions.ts", "journal.ts"].map((name) => readFileSync(path(name), "utf8"));
	const blocks = [...guide.matchAll(/^```typescript\n(.*?)^```$/gms)].map(([, code = ""]) => code);
	assert.ok(blocks.length > 0);
	for (const block of [...blocks, readFileSync(path("journal.ts"), "utf8")]) {
		assert.ok(guide.includes(block) && files.some((file) => file.includes(block)), block);
	}
});

test.run();
