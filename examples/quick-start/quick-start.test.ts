import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { adminPassword } from "./admin-password.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-quick-start-"));

function start(env: Record<string, string>): ChildProcess {
	const file = new URL("./quick-start.ts", import.meta.url).pathname;
	return spawn(process.execPath, ["--import", "tsx", file], {
		stdio: ["ignore", "pipe", "pipe"],
		env: { ...process.env, SVC_DATA_DIR: directory, SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0", ...env },
	});
}

async function finish(child: ChildProcess): Promise<{ code: number | null; output: string }> {
	let output = "";
	for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece: Buffer) => (output += piece));
	const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
	return { code, output };
}

test.after(() => rmSync(directory, { recursive: true }));

test("without a terminal the quick start runs an action, shows its output while it runs, and ends by itself", async () => {
	const { code, output } = await finish(start({}));
	assert.equal(code, 0, output);
	for (const step of [1, 2, 3, 4, 5]) assert.match(output, new RegExp(`\\+[\\d.]+ s {2}stdout {2}step ${step} of 5`));
	assert.match(output, /status {11}succeeded/);
	assert.match(output, /states {11}requested, scheduled, running, succeeded/);
	assert.match(output, /^Open the web page in your browser: http:\/\/127\.0\.0\.1:\d+\/$/m);
	assert.match(output, /^ {2}npx svc --api-url http:\/\/\S+ login admin$/m);
	const [, password] = /^ {2}password {2}(\S+)$/m.exec(output) ?? [];
	// Only the owner can read the stored password, and the next start uses it.
	const kept = join(directory, "quickstart");
	assert.equal(statSync(join(kept, "admin-password")).mode & 0o777, 0o600);
	assert.equal(adminPassword(kept), password);
	const times = [...output.matchAll(/\+([\d.]+) s {2}stdout {2}step/g)].map(([, time]) => Number(time));
	assert.equal(times.length, 5);
	assert.ok((times.at(-1) ?? 0) - (times[0] ?? 0) > 1, `the steps arrived at ${times.join(", ")}`);
});

test("a port in use is named together with a way out", async () => {
	const { server, port } = await listen();
	try {
		const { code, output } = await finish(start({ SVC_API_PORT: String(port) }));
		assert.equal(code, 1, output);
		assert.match(output, new RegExp(String(port)));
		assert.match(output, /SVC_API_PORT=9201/);
	} finally {
		server.close();
	}
});

function listen(): Promise<{ server: Server; port: number }> {
	return new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const address = server.address();
			resolve({ server, port: typeof address === "object" && address !== null ? address.port : 0 });
		});
	});
}

test.run();
