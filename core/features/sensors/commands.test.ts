import "../../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { createService, defineConfig, defineSensor } from "../../index.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";

const broken = defineSensor("broken", () => ({
	description: "Fails.",
	trigger_types: [{ name: "seen" }],
	async run() {
		throw new Error("no such device");
	},
}));

const home = mkdtempSync(join(tmpdir(), "svc-cli-sensor-"));
const service = createService(
	defineConfig({
		storage: memoryStorage(),
		event_bus: memoryBus(),
		runners: [],
		sensors: [broken()],
		data_dir: join(home, "data"),
		auth: { enable: false, port: 0 },
		api: { port: 0 },
		stream: { port: 0 },
		log: { level: "error" },
	}),
);
let env: Record<string, string> = {};

async function svc(...words: readonly string[]) {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([""]), env, onInterrupt: () => () => {} });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

test.before(async () => {
	env = { HOME: home, SVC_API_URL: (await service.start()).addresses.api ?? "" };
});
test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true, force: true });
});

test("sensors are listed and shown with what is wrong with them", async () => {
	let shown = "";
	while (!shown.includes("state: waiting")) shown = (await svc("sensor", "get", "default.broken")).stdout;
	assert.match(shown, /last_error: no such device\nnext_start_at: \d{4}-/);
	const { stdout } = await svc("sensor", "list", "-p", "default");
	assert.match(stdout, /ref +pack +description +enabled +state/);
	assert.match(stdout, /default\.broken/);
	assert.match((await svc("sensor", "list", "-p", "other")).stdout, /No matching records/);
});

test("sensors are switched off and on", async () => {
	assert.match((await svc("sensor", "disable", "default.broken")).stdout, /enabled: false/);
	assert.equal(JSON.parse((await svc("sensor", "get", "default.broken", "-j")).stdout).enabled, false);
	assert.match((await svc("sensor", "enable", "default.broken")).stdout, /enabled: true/);
	const { exitCode, stderr } = await svc("sensor", "disable", "default.nothing");
	assert.equal(exitCode, 2);
	assert.match(stderr, /sensor "default.nothing" is not found/);
});

test.run();
