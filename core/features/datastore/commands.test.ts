import "../../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { createService, defineConfig } from "../../index.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-key-"));
const service = createService(
	defineConfig({
		storage: memoryStorage(),
		event_bus: memoryBus(),
		runners: [],
		data_dir: join(home, "data"),
		auth: { enable: false, port: 0 },
		api: { port: 0 },
		stream: { port: 0 },
		log: { level: "error" },
	}),
);
let env: Record<string, string> = {};

async function svc(words: readonly string[], input = "") {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([input]), env, onInterrupt: () => () => {} });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

async function ok(words: readonly string[], input?: string): Promise<string> {
	const { exitCode, stdout, stderr } = await svc(words, input);
	assert.equal(stderr, "");
	assert.equal(exitCode, 0);
	return stdout;
}

test.before(async () => {
	env = { HOME: home, SVC_API_URL: (await service.start()).addresses.api ?? "" };
});
test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true, force: true });
});

test("an item is set, shown, listed and deleted", async () => {
	assert.match(
		await ok(["key", "set", "mail/host:1", "mail.example.org", "--ttl", "100"]),
		/value: mail\.example\.org[^]*expire_timestamp/,
	);
	assert.match(await ok(["key", "get", "mail/host:1"]), /scope: svckv\.system/);
	assert.match(await ok(["key", "list", "-p", "mail/"]), /mail\/host:1/);
	assert.match(await ok(["key", "delete", "mail/host:1"]), /deleted/);
	const { exitCode, stderr } = await svc(["key", "get", "mail/host:1"]);
	assert.equal(exitCode, 2);
	assert.match(stderr, /datastore item "mail\/host:1" is not found/);
});

test("a secret is asked for, kept encrypted and shown in clear when that is asked for", async () => {
	assert.match(await ok(["key", "set", "pin", "-e"], "4711\n"), /value: \*{8}/);
	assert.match(await ok(["key", "get", "pin"]), /value: \*{8}/);
	assert.match(await ok(["key", "get", "pin", "--decrypt"]), /value: 4711/);
	assert.match(await ok(["key", "list", "--decrypt"]), /4711/);
});

test("a value from standard input is stored whole, and an empty input is refused", async () => {
	await ok(["key", "set", "certificate"], "first\nsecond\n");
	assert.equal(JSON.parse(await ok(["key", "get", "certificate", "-j"])).value, "first\nsecond");
	await ok(["key", "delete", "certificate"]);
	for (const input of ["", "\n"]) {
		assert.deepEqual(await svc(["key", "set", "certificate"], input), {
			exitCode: 2,
			stdout: "",
			stderr: "error: value: missing; add it after the name, or send it to standard input\n",
		});
	}
	assert.equal((await svc(["key", "get", "certificate"])).exitCode, 2);
});

test("what a list shows can be loaded, secrets too", async () => {
	await ok(["key", "set", "mine", "1", "--scope", "user"]);
	const file = join(home, "items.json");
	writeFileSync(file, await ok(["key", "list", "--show-secrets", "-j"]));
	for (const name of ["pin", "mine"]) await ok(["key", "delete", name, ...(name === "mine" ? ["-s", "user"] : [])]);
	assert.match(await ok(["key", "load", file]), /2 datastore items loaded/);
	assert.match(await ok(["key", "get", "pin", "-d"]), /4711/);
	assert.match(await ok(["key", "get", "mine", "-s", "user"]), /value: 1/);
});

test("values that are no texts are loaded when they may be converted", async () => {
	const file = join(home, "values.yaml");
	writeFileSync(file, "- {name: a, value: {b: [1]}}\n- {name: c, value: text}\n");
	const { exitCode, stderr } = await svc(["key", "load", file]);
	assert.equal(exitCode, 2);
	assert.match(stderr, /value of "a" must be a string/);
	await ok(["key", "load", "--convert", file]);
	assert.match(await ok(["key", "get", "a"]), /value: \{"b":\[1\]\}/);
});

test("all items with a prefix are deleted", async () => {
	for (const name of ["old.1", "old.2", "new.1"]) await ok(["key", "set", name, "x"]);
	assert.equal((await ok(["key", "delete_by_prefix", "-p", "old."])).split("\n").filter(Boolean).length, 2);
	assert.doesNotMatch(await ok(["key", "list"]), /old\./);
	assert.match(await ok(["key", "list"]), /new\.1/);
});

test("the key is rotated", async () => {
	assert.match(await ok(["key", "rotate"]), /added: true\nreencrypted: 1\nunreadable: 0/);
	assert.match(await ok(["key", "get", "pin", "-d"]), /4711/);
});

test("a pack is configured", async () => {
	const file = join(home, "config.yaml");
	writeFileSync(file, "limit: 1\n");
	assert.match(await ok(["config", "set", "core", file]), /limit: 1/);
	assert.match(await ok(["config", "get", "core"]), /limit: 1/);
	assert.match(await ok(["config", "list"]), /core/);
	assert.equal((await svc(["config", "schema", "core"])).exitCode, 2);
});

test.run();
