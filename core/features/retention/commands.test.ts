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

const home = mkdtempSync(join(tmpdir(), "svc-cli-purge-"));
const service = createService(
	defineConfig({
		storage: memoryStorage(),
		event_bus: memoryBus(),
		runners: [noop()],
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

test("old executions are counted and removed", async () => {
	for (let count = 0; count < 3; count += 1) assert.equal((await svc("run", "core.noop")).exitCode, 0);
	const now = new Date().toISOString();
	const trial = await svc("purge", "executions", "--timestamp", now, "--dry-run", "-j");
	assert.deepEqual(JSON.parse(trial.stdout), [{ records: "execution", would_be_removed: 3 }]);
	assert.match((await svc("purge", "executions", "--timestamp", "2001-02-03")).stdout, /No matching records/);
	assert.match((await svc("purge", "executions", "--timestamp", now, "--action-ref", "core.local")).stdout, /No matching records/);
	assert.match((await svc("purge", "executions", "--timestamp", now, "--action-ref", "core.noop")).stdout, /^execution +3$/m);
	assert.match((await svc("execution", "list")).stdout, /No matching records/);
});

test("what cannot be purged is refused", async () => {
	assert.match((await svc("purge", "tokens")).stderr, /required option '--timestamp <time>'/);
	const wrong = await svc("purge", "tokens", "--timestamp", "lately");
	assert.deepEqual([wrong.exitCode, wrong.stderr.includes("timestamp: must be a time such as")], [1, true]);
	assert.match((await svc("purge", "traces", "--timestamp", "2999-01-01")).stderr, /timestamp: must not be in the future/);
	assert.equal((await svc("purge", "output", "--timestamp", "2001-01-01", "--purge-incomplete")).exitCode, 2);
});

test.run();
