import "../../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { createService, defineConfig, type Service } from "../../index.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-policy-"));
let service: Service;
let apiUrl = "";

test.before(async () => {
	service = createService(
		defineConfig({
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [],
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

function file(value: unknown): string {
	const path = join(home, "policy.json");
	writeFileSync(path, JSON.stringify(value));
	return path;
}

const policy = {
	name: "one",
	pack: "default",
	resource_ref: "default.sweep",
	policy_type: "action.concurrency",
	parameters: { threshold: 1 },
};

test("what the service refuses exits with 2, a service that is not there with 1", async () => {
	const refused = await svc("policy", "create", file({ ...policy, policy_type: "action.nope" }));
	assert.equal(refused.exitCode, 2);
	assert.match(refused.stderr, /policy_type/);
	assert.equal((await svc("policy", "update", "default.none", file(policy))).exitCode, 2);
	assert.equal((await svc("policy", "delete", "default.none")).exitCode, 2);
	assert.equal((await svc("policy", "create", file(policy), "--api-url", "http://127.0.0.1:9")).exitCode, 1);
});

test("a policy is made, looked at, changed, switched and deleted", async () => {
	assert.equal((await svc("policy", "create", file(policy))).exitCode, 0);
	const listed = await svc("policy", "list", "-p", "default", "-r", "default.sweep", "--policy-type", "action.concurrency");
	assert.match(listed.stdout, /default\.one .*default\.sweep .*action\.concurrency .*true/i);
	assert.doesNotMatch((await svc("policy", "list", "-r", "default.other")).stdout, /default\.one/);
	assert.equal((await svc("policy", "update", "default.one", file({ ...policy, parameters: { threshold: 4 } }))).exitCode, 0);
	const shown = JSON.parse((await svc("policy", "get", "default.one", "-j")).stdout);
	assert.deepEqual(shown.parameters, { threshold: 4, action: "delay" });
	assert.equal((await svc("policy", "disable", "default.one")).exitCode, 0);
	assert.equal((await service.engine.policies.get("default.one")).enabled, false);
	assert.equal((await svc("policy", "enable", "default.one")).exitCode, 0);
	assert.equal((await service.engine.policies.get("default.one")).enabled, true);
	assert.match((await svc("policy", "delete", "default.one")).stdout, /Policy default\.one deleted/);
	assert.equal((await svc("policy", "get", "default.one")).exitCode, 2);
});

test("a policy that says what it cannot is refused with the reason", async () => {
	const { exitCode, stdout, stderr } = await svc("policy", "create", file({ ...policy, parameters: { threshold: "many" } }));
	assert.notEqual(exitCode, 0);
	assert.match(stdout + stderr, /threshold/);
});

test("policy types are listed and shown with their parameters", async () => {
	assert.match((await svc("policy-type", "list", "-r", "action")).stdout, /action\.retry/);
	const shown = JSON.parse((await svc("policy-type", "get", "action.concurrency", "-j")).stdout);
	assert.deepEqual(Object.keys(shown.parameters).sort(), ["action", "threshold"]);
	assert.equal((await svc("policy-type", "get", "action.none")).exitCode, 2);
});

test.run();
