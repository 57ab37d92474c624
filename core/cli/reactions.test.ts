import "../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { runSvc } from "../../plugins/_shipped/run-svc.ts";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import { noop } from "../../plugins-runner/noop/index.ts";
import { createService, defineConfig, type Service } from "../index.ts";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-reactions-"));
let service: Service;
let apiUrl = "";

test.before(async () => {
	service = createService(
		defineConfig({
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [noop()],
			data_dir: join(home, "data"),
			auth: { enable: false, listen: false },
			api: { port: 0 },
			stream: { port: 0 },
			log: { level: "error" },
		}),
	);
	apiUrl = (await service.start()).addresses.api ?? "";
});

test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true });
});

async function svc(...words: readonly string[]) {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const exitCode = await runSvc(words, { stdout, stderr, env: { HOME: home, SVC_API_URL: apiUrl } });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

function file(name: string, value: unknown): string {
	const path = join(home, name);
	writeFileSync(path, JSON.stringify(value));
	return path;
}

const rule = {
	name: "on_full",
	pack: "default",
	enabled: true,
	trigger: { type: "default.full" },
	criteria: { "trigger.volume": { type: "startswith", pattern: "/data" } },
	action: { ref: "core.noop" },
};

test("a trigger type, a rule and an event make a trace that is drawn as a tree", async () => {
	assert.equal((await svc("trigger", "create", file("type.json", { name: "full", pack: "default" }))).exitCode, 0);
	assert.equal((await svc("rule", "create", file("rule.json", rule))).exitCode, 0);
	assert.match((await svc("rule", "list", "--iftt")).stdout, /default\.on_full .*default\.full .*core\.noop/);
	const { instance } = await service.engine.dispatcher.dispatch({
		trigger: "default.full",
		payload: { volume: "/data/1" },
		trace: { trace_tag: "ticket-1" },
	});
	while ((await service.engine.triggers.instances.get(instance.id)).status !== "processed") await delay(5);
	const listed = await svc("trace", "list", "-c", "ticket-1");
	assert.match(
		listed.stdout,
		/^ticket-1 .*\ntrigger-instance default\.full \S+ \S+\n└─ rule default\.on_full \S+ \S+\n {3}└─ execution core\.noop \S+ \S+\n$/,
	);
	const drawn = await svc("trace", "get", instance.trace_id, "--show-executions");
	assert.match(drawn.stdout, /^ticket-1 .*\nexecution core\.noop \S+ \S+\n$/);
	assert.match((await svc("rule-enforcement", "list", "--rule", "default.on_full")).stdout, /default\.on_full/);
	const again = await svc("trigger-instance", "re-emit", instance.id);
	assert.match(again.stdout, /re-sent/);
});

test("a rule whose action does not exist is made with a warning, and listed with its problem", async () => {
	const broken = { ...rule, name: "broken", action: { ref: "core.nop" } };
	const made = await svc("rule", "create", file("broken.json", broken));
	assert.deepEqual([made.exitCode, made.stderr], [0, 'warning: action.ref: action "core.nop" does not exist\n']);
	assert.match((await svc("rule", "list")).stdout, /problems[^]*default\.broken .*action "core\.nop" does not exist/i);
	assert.equal((await svc("rule", "delete", "default.broken")).exitCode, 0);
	assert.doesNotMatch((await svc("rule", "list")).stdout, /problems/i);
});

test("a rule is tested against files and stored events", async () => {
	const matching = file("event.json", { trigger: "default.full", payload: { volume: "/data/2" } });
	const other = file("other.json", { trigger: "default.full", payload: { volume: "/tmp" } });
	const hit = await svc("rule", "test", "default.on_full", matching);
	assert.equal(hit.exitCode, 0);
	assert.match(hit.stdout, /matched.*true/);
	const miss = await svc("rule", "test", file("rule.json", rule), other);
	assert.equal(miss.exitCode, 1);
	for (const part of ["trigger.volume", "startswith", "/data", "/tmp"]) assert.ok(miss.stdout.includes(part), miss.stdout);
});

test("rules are disabled, enabled and deleted by ref", async () => {
	assert.match((await svc("rule", "disable", "default.on_full")).stdout, /false/i);
	assert.equal((await service.engine.rules.get("default.on_full")).rule.enabled, false);
	assert.equal((await svc("rule", "enable", "default.on_full")).exitCode, 0);
	assert.equal((await service.engine.rules.get("default.on_full")).rule.enabled, true);
	assert.equal((await svc("rule", "delete", "default.on_full")).exitCode, 0);
	assert.equal((await svc("rule", "get", "default.on_full")).exitCode, 2);
});

test("webhooks are listed, and the deliveries to one of them", async () => {
	for (const url of ["disk", "mail"]) {
		const trigger = { type: "core.svc.webhook", parameters: { url: `monitor/${url}`, ledger: true } };
		await svc("rule", "create", file("hook.json", { ...rule, name: url, trigger, criteria: {} }));
		const headers = { "content-type": "application/json" };
		assert.equal((await fetch(`${apiUrl}/v1/webhooks/monitor/${url}`, { method: "POST", headers, body: "{}" })).status, 202);
	}
	assert.match((await svc("webhook", "list")).stdout, /monitor\/disk[^]*monitor\/mail/);
	const deliveries = (await svc("webhook", "delivery", "list", "--hook", "monitor/mail", "-j")).stdout;
	assert.deepEqual(
		JSON.parse(deliveries).map(({ url, verdict }: Record<string, string>) => [url, verdict]),
		[["monitor/mail", "accepted"]],
	);
});

test.run();
