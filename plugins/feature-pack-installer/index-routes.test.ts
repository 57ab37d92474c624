import "../../core/testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import { createService, defineConfig } from "../../core/index.ts";
import { CapturedText } from "../../core/testing/cli/captured-text.test-support.ts";
import { runSvc } from "../_shipped/run-svc.ts";
import { memoryBus } from "../event-bus-memory/index.ts";
import { memoryStorage } from "../storage-memory/index.ts";
import { packInstaller } from "./index.ts";
import type { PackIndexHealthRecord, PackIndexRecord } from "./index-client.ts";

const home = mkdtempSync(join(tmpdir(), "svc-pack-index-"));
const index = join(home, "index.json");
const disk = { name: "disk", version: "1.4.0", description: "Volume care.", author: "Storage team", keywords: ["storage"] };
const service = createService(
	defineConfig({
		features: [packInstaller()],
		storage: memoryStorage(),
		event_bus: memoryBus(),
		runners: [],
		data_dir: join(home, "data"),
		content: { index_url: [index, join(home, "nothing.json")] },
		auth: { enable: false, listen: false },
		api: { port: 0 },
		stream: { listen: false },
		log: { level: "error" },
	}),
);
let url = "";

async function svc(...words: readonly string[]) {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const env = { HOME: home, SVC_API_URL: url };
	const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([""]), env, onInterrupt: () => () => {} });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

async function search(body: object) {
	const response = await fetch(`${url}/v1/packs/index/search`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(body),
	});
	return { status: response.status, body: await response.json() };
}

test.before(async () => {
	writeFileSync(index, JSON.stringify({ packs: { disk: { ...disk, repo_url: "https://maria:geheim@git.example.org/disk.git" } } }));
	const { addresses } = await service.start();
	url = addresses.api ?? "";
});
test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true, force: true });
});

const shown = { ...disk, repo_url: "https://git.example.org/disk.git" };

test("the index and its health are answered, without what only the service may know", async () => {
	const all = (await (await fetch(`${url}/v1/packs/index`)).json()) as PackIndexRecord;
	assert.deepEqual(all.index, { disk: shown });
	assert.deepEqual(
		all.status.map(({ url: address, error }) => [address, error]),
		[
			[index, null],
			[join(home, "nothing.json"), "unresponsive"],
		],
	);
	const health = (await (await fetch(`${url}/v1/packs/index/health`)).json()) as PackIndexHealthRecord;
	assert.deepEqual([health.indexes.count, health.indexes.valid, health.indexes.errors, health.packs.count], [2, 1, { unresponsive: 1 }, 1]);
});

test("a search by a word answers a list, by a name the entry or an empty list, and nothing else is taken", async () => {
	assert.deepEqual(await search({ query: "VOLUME" }), { status: 200, body: [shown] });
	assert.deepEqual(await search({ query: "nothing" }), { status: 200, body: [] });
	assert.deepEqual(await search({ pack: "disk" }), { status: 200, body: shown });
	assert.deepEqual(await search({ pack: "dis" }), { status: 200, body: [] });
	for (const body of [{}, { query: "" }, { query: "a", pack: "b" }, { query: 1 }, { word: "x" }, { query: "x".repeat(501) }]) {
		assert.equal((await search(body)).status, 400, JSON.stringify(body));
	}
});

test("svc pack search and svc pack show print them", async () => {
	const found = await svc("pack", "search", "storage");
	assert.match(found.stdout, /^disk +Volume care\. +1\.4\.0 +Storage team$/m);
	assert.match((await svc("pack", "show", "disk")).stdout, /^name: disk\n.*repo_url: https:\/\/git\.example\.org\/disk\.git/s);
	const missing = await svc("pack", "show", "nothing");
	assert.deepEqual([missing.exitCode, missing.stdout], [2, ""]);
	assert.match(missing.stderr, /"nothing" is not in the index/);
});

test.run();
