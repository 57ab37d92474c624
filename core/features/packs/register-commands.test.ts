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
import { noop } from "../../../plugins-runner/noop/index.ts";
import { createService, defineConfig } from "../../index.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";
import { manifest, writeFiles } from "./activation/pack-activation.test-support.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-register-"));
const packs = join(home, "packs");
let service: ReturnType<typeof createService>;
let env: Record<string, string> = {};

async function svc(...words: readonly string[]) {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([""]), env, onInterrupt: () => () => {} });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

test.before(async () => {
	await writeFiles(packs, { "disk/pack.yaml": manifest("disk"), "disk/actions/look.yaml": "name: look\nrunner_type: noop\n" });
	service = createService(
		defineConfig({
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [noop()],
			packs: [packs],
			data_dir: join(home, "data"),
			auth: { enable: false, port: 0 },
			api: { port: 0 },
			stream: { port: 0 },
			log: { level: "error" },
		}),
	);
	env = { HOME: home, SVC_API_URL: (await service.start()).addresses.api ?? "" };
});
test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true, force: true });
});

test("packs are registered again, and how much there is is shown", async () => {
	await writeFiles(packs, { "disk/actions/more.yaml": "name: more\nrunner_type: noop\n" });
	const { exitCode, stdout } = await svc("pack", "register", "disk", "--types", "actions, rules", "-j");
	assert.equal(exitCode, 0);
	const { runners, ...counts } = JSON.parse(stdout);
	assert.deepEqual(counts, { actions: 2, rule_types: 2, rules: 0 });
	assert.ok(runners > 0);
	assert.match((await svc("action", "get", "disk.more")).stdout, /ref: disk\.more/);
});

test("what cannot be used is named with its file, and left out where that is asked for", async () => {
	await writeFiles(packs, { "disk/actions/bad.yaml": "name: bad\nrunner: noop\n" });
	const refused = await svc("pack", "register");
	assert.notEqual(refused.exitCode, 0);
	assert.match(`${refused.stdout}${refused.stderr}`, /pack "disk": actions\/bad\.yaml: .*"runner"/);
	const { exitCode, stdout } = await svc("pack", "register", "--skip-broken", "-j");
	assert.equal(exitCode, 0);
	assert.equal(JSON.parse(stdout).actions, 2);
	assert.notEqual((await svc("pack", "register", "nope")).exitCode, 0);
});

test.run();
