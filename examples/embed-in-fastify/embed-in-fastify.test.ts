// test-suite: full
import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "uvu";

const directory = mkdtempSync(join(tmpdir(), "svc-embed-in-fastify-"));
const running: ChildProcess[] = [];

test.after(() => {
	for (const child of running) child.kill("SIGKILL");
	rmSync(directory, { recursive: true });
});

/** Starts the server. Returns its address once it listens. */
async function start(): Promise<{ readonly server: ChildProcess; readonly url: string; readonly lines: readonly string[] }> {
	const server = spawn(process.execPath, ["--import", "tsx", join(import.meta.dirname, "server.ts")], {
		stdio: ["ignore", "pipe", "inherit"],
		env: { ...process.env, SVC_DATA_DIR: directory, PORT: "0" },
	});
	running.push(server);
	const lines: string[] = [];
	for await (const line of createInterface({ input: server.stdout })) {
		lines.push(line);
		const url = /Server listening at (http:\/\/[\d.:]+)/.exec(line)?.[1];
		if (url === undefined) continue;
		server.stdout.resume();
		return { server, url, lines };
	}
	throw new Error(`the server has ended: ${lines.join("\n")}`);
}

test("the server runs an action of the service, gives its output and its record, and stops with it", async () => {
	const { server, url, lines } = await start();
	assert.ok(lines.some((line) => line.includes('"part":"automation"') && line.includes("engine started")));
	const asked = await fetch(`${url}/backup`, { method: "POST" });
	assert.equal(asked.status, 202);
	const { output } = (await asked.json()) as { output: string };
	const stream = await (await fetch(url + output)).text();
	for (const text of ["saving", "saved"]) assert.ok(stream.includes(`"data":"${text}\\n"`), stream);
	const body = JSON.stringify({ action: "core.local", parameters: { cmd: "sleep 0.1" } });
	const headers = { "content-type": "application/json" };
	assert.equal((await fetch(`${url}/automation/api/v1/executions`, { method: "POST", headers, body })).status, 201);
	const list = (await (await fetch(`${url}/automation/api/v1/executions`)).json()) as unknown[];
	assert.equal(list.length, 2);
	const left = await fetch(`${url}/automation/stream/v1/stream`);
	server.kill("SIGTERM");
	await left.text();
	const [code] = (await once(server, "exit")) as [number | null];
	assert.equal(code, 0);
});

test.run();
