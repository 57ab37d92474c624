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

const home = mkdtempSync(join(tmpdir(), "svc-cli-trigger-"));
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
let api = "";

async function svc(...words: readonly string[]) {
	const [stdout, stderr] = [new CapturedText(), new CapturedText()];
	const env = { HOME: home, SVC_API_URL: api };
	const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([""]), env, onInterrupt: () => () => {} });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

async function post(path: string, body: object): Promise<void> {
	const headers = { "content-type": "application/json" };
	const answer = await fetch(`${api}/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
	assert.ok(answer.ok, await answer.text());
}

test.before(async () => {
	api = (await service.start()).addresses.api ?? "";
	const rule = (name: string, type: string, parameters: object) =>
		post("/rules", { name, pack: "default", trigger: { type, parameters }, action: { ref: "core.noop" } });
	await rule("greeted", "core.svc.webhook", { url: "hello" });
	await rule("also", "core.svc.webhook", { url: "hello" });
	await rule("odd", "core.svc.webhook", { url: "\u001b[31m\nodd" });
	await rule("nightly", "core.svc.CronTimer", { cron: "0 3 * * *", timezone: "Europe/Berlin" });
	await post("/webhooks/hello", { said: 1 });
	await post(`/webhooks/${encodeURIComponent("\u001b[31m\nodd")}`, {});
});
test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true, force: true });
});

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-/;

test("events are listed by what their triggers are, and shown with the ref of the trigger too", async () => {
	const { stdout } = await svc("trigger-instance", "list");
	assert.match(stdout, /^id +trigger_title +occurrence_time +status/);
	assert.match(stdout, / webhook hello +/);
	assert.doesNotMatch(stdout, uuid);
	const listed = JSON.parse((await svc("trigger-instance", "list", "-j")).stdout) as {
		id: string;
		trigger_title: string;
		trigger: string;
	}[];
	const hello = listed.find(({ trigger_title: title }) => title === "webhook hello");
	assert.match(hello?.trigger ?? "", uuid);
	const shown = (await svc("trigger-instance", "get", hello?.id ?? "")).stdout;
	assert.match(shown, /^trigger_title: webhook hello$/m);
	assert.ok(shown.includes(`\ntrigger: ${hello?.trigger}\n`), shown);
});

test("--trigger takes the ref of a trigger or of a trigger type", async () => {
	const refs = JSON.parse((await svc("trigger-instance", "list", "-j", "--trigger", "core.svc.webhook")).stdout) as { trigger: string }[];
	assert.equal(refs.length, 2);
	const [first] = refs;
	const one = JSON.parse((await svc("trigger-instance", "list", "-j", "--trigger", first?.trigger ?? "")).stdout) as { trigger: string }[];
	assert.deepEqual(
		one.map(({ trigger }) => trigger),
		[first?.trigger],
	);
	for (const options of [
		["--trigger", "core.svc.webhooks"],
		["--trigger", "core.svc.webhook", "--trigger-type", "core.svc.CronTimer"],
	])
		assert.deepEqual(await svc("trigger-instance", "list", ...options), { exitCode: 0, stdout: "No matching records.\n", stderr: "" });
	assert.match(
		(await svc("trigger-instance", "list", "--help")).stdout,
		/--trigger <ref> +list the instances of this trigger, or of this\s+trigger type/,
	);
});

test("timers, webhooks and rules say what they are and who uses them", async () => {
	const timers = (await svc("timer", "list")).stdout;
	assert.match(timers, /^title +rules +next_fire_at/);
	assert.match(timers, /\ncron 0 3 \* \* \* Europe\/Berlin +default\.nightly /);
	const [timer] = JSON.parse((await svc("timer", "list", "-j")).stdout) as { ref: string; rules: string[] }[];
	assert.deepEqual(timer?.rules, ["default.nightly"]);
	assert.match((await svc("timer", "get", timer?.ref ?? "")).stdout, /^title: cron 0 3 .*\nrules:\n {4}- default\.nightly$/m);
	const hooks = (await svc("webhook", "list")).stdout;
	assert.match(hooks, /^parameters\.url +rules +description/);
	assert.match(hooks, /\nhello +default\.also, default\.greeted/);
	assert.match((await svc("webhook", "get", "hello")).stdout, /^title: webhook hello\n/);
	assert.match((await svc("rule", "get", "default.greeted")).stdout, /^trigger:\n(?: {4}.*\n)* {4}title: webhook hello$/m);
	assert.match((await svc("rule", "list", "--iftt")).stdout, /\ndefault\.nightly +cron 0 3 \* \* \* Europe\/Berlin +core\.noop/);
});

test("a trace names what happened, and escapes what users have named", async () => {
	const traces = JSON.parse((await svc("trace", "list", "-j")).stdout) as { id: string }[];
	const trees = (await svc("trace", "get", ...traces.map(({ id }) => id))).stdout;
	assert.match(trees, /^trigger-instance webhook hello [0-9a-f]{24} /m);
	assert.match(trees, /^trigger-instance webhook \\u001b\[31m\\u000aodd [0-9a-f]{24} /m);
	assert.doesNotMatch(trees, uuid);
});

test.run();
