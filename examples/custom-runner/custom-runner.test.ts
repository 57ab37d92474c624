import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "svc-automation/client";
import { testRunner } from "svc-automation/testing";
import { test } from "uvu";
import { program } from "./program.ts";

const path = (name: string) => join(import.meta.dirname, name);
const directory = mkdtempSync(join(tmpdir(), "svc-custom-runner-"));
const shell = (text: string) => ({ runnerParameters: { command: ["sh", "-c", text] } });

testRunner({
	test,
	name: "program",
	create: () => program({ grace: 300 }),
	cases: {
		succeeds: { runnerParameters: { command: ["true"] } },
		fails: { runnerParameters: { command: ["false"] } },
		throws: { runnerParameters: { command: ["/no/such/program"] } },
		prints: (count) => ({ runnerParameters: { command: ["seq", "-f", "line %g", String(count)] } }),
		blocks: shell("echo ready; sleep 600"),
		printsInvalid: shell("printf 'a\\377b\\n'"),
		closesOutput: shell("echo ready; exec >&-; sleep 0.1; exit 3"),
		ignoresTerm: shell("trap '' TERM; echo ready; sleep 600"),
	},
});

/** Starts the service as the README describes, and stops it after `use`. */
async function withService(use: (apiUrl: string) => Promise<void>): Promise<void> {
	const ports = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const child = spawn(process.execPath, [path("../../dist/plugins/_shipped/main.js"), "serve", "--config", path("svc.config.ts")], {
		stdio: ["ignore", "pipe", "inherit"],
		env: { ...process.env, ...ports, SVC_DATA_DIR: join(directory, "data"), SVC_LOG_LEVEL: "error" },
	});
	const ended = once(child, "exit");
	try {
		await use(await readAddress(child));
	} finally {
		child.kill();
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

test("the action follows a log live until it is canceled", () =>
	withService(async (apiUrl) => {
		const file = join(directory, "a log; with $odd 'letters'");
		writeFileSync(file, "zero\none\ntwo\n");
		const client = createClient({ apiUrl });
		const { id } = await client.executions.create({ action: "logs.follow", parameters: { file, lines: 2 } });
		let seen = "";
		for await (const { data } of client.followOutput(id)) {
			seen += data;
			if (seen === "one\ntwo\n") appendFileSync(file, "three\n");
			if (seen === "one\ntwo\nthree\n") await client.executions.cancel(id);
		}
		assert.equal(seen, "one\ntwo\nthree\n");
		let execution = await client.executions.get(id);
		for (; execution.end_timestamp === undefined; execution = await client.executions.get(id)) await delay(50);
		assert.equal(execution.status, "canceled");
		assert.equal(execution.result?.["stdout"], seen);
	}));

test("the runner takes under 40 lines, and the guide shows them as they are here", () => {
	const source = readFileSync(path("program.ts"), "utf8");
	assert.ok(source.split("\n").filter((line) => line.trim() !== "").length < 40);
	assert.ok(readFileSync(path("../../docs/guides/write-a-runner.md"), "utf8").includes(source));
});

test.after(() => rmSync(directory, { recursive: true }));

test.run();
