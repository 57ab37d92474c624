import "../../core/testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { createService, defineConfig, type Service } from "../../core/index.ts";
import { CapturedText } from "../../core/testing/cli/captured-text.test-support.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { runSvc } from "../_shipped/run-svc.ts";
import { memoryBus } from "../event-bus-memory/index.ts";
import { memoryStorage } from "../storage-memory/index.ts";
import { aliases } from "./index.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-alias-"));
let service: Service;
let apiUrl = "";

test.before(async () => {
	service = createService(
		defineConfig({
			features: [aliases()],
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [localCommand()],
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
	const path = join(home, "alias.json");
	writeFileSync(path, JSON.stringify(value));
	return path;
}

const alias = {
	name: "say",
	action_ref: "core.echo",
	formats: ["say {{ message }}"],
	ack: { format: "Saying it." },
	result: { format: "It said: {{ execution.result.stdout }}" },
};

test("an action alias is made, looked at, changed, switched and deleted", async () => {
	const made = await svc("action-alias", "create", file({ ...alias, name: "passing", description: "Says it." }));
	assert.equal(made.exitCode, 0, made.stderr);
	assert.match((await svc("action-alias", "list", "-p", "default")).stdout, /default\.passing +default +Says it\. +true/);
	assert.match((await svc("action-alias", "list", "-p", "none")).stdout, /No matching records/);
	assert.match((await svc("action-alias", "get", "default.passing")).stdout, /action_ref: core\.echo\nformats:\n +- say \{\{ message \}\}/);
	await svc("action-alias", "update", "default.passing", file({ ...alias, name: "passing", formats: ["speak {{ message }}"] }));
	assert.match((await svc("action-alias", "disable", "default.passing")).stdout, /enabled: false/);
	const { stdout } = await svc("action-alias", "get", "default.passing", "-j", "-a", "enabled,formats");
	assert.deepEqual(JSON.parse(stdout), { enabled: false, formats: ["speak {{ message }}"] });
	assert.equal((await svc("action-alias", "delete", "default.passing")).stdout, "Action alias default.passing deleted\n");
	const gone = await svc("action-alias", "get", "default.passing");
	assert.deepEqual([gone.exitCode, /action alias "default.passing" is not found/.test(gone.stdout + gone.stderr)], [2, true]);
});

test("a command is matched, executed, and tested to what is said of its end", async () => {
	await svc("action-alias", "create", file(alias));
	const match = await svc("action-alias", "match", "say hello");
	assert.match(match.stdout, /actionalias\.ref: default\.say\n[^]*representation: say \{\{ message \}\}/);
	const started = await svc("action-alias", "execute", "say hello", "-u", "svc");
	assert.match(started.stdout, /^execution\.id: [0-9a-f]{24}\n[^]*message: Saying it\.\n$/);
	const tested = await svc("action-alias", "test", "say hello", "-u", "svc");
	assert.deepEqual([tested.exitCode, tested.stdout.trim(), tested.stderr], [0, "message: It said: hello", "Saying it.\n"]);
	const none = await svc("action-alias", "execute", "mop");
	assert.equal(none.exitCode, 1);
	assert.match(none.stdout + none.stderr, /matches no action alias/);
});

test.run();
