// test-suite: full
import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createService, loadConfig, type Service } from "svc-automation";
import { createClient } from "svc-automation/client";
import { test } from "uvu";

const directory = mkdtempSync(join(tmpdir(), "svc-chat-bridge-"));
let service: Service | undefined;
let env: NodeJS.ProcessEnv = {};

test.before(async () => {
	const config = await loadConfig(join(import.meta.dirname, "svc.config.ts"));
	const ports = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const own = { ...process.env, ...ports, SVC_DATA_DIR: directory, SVC_LOG_LEVEL: "error" };
	service = createService(config, { env: own, directory: import.meta.dirname });
	const { addresses, firstUser } = await service.start();
	const apiUrl = addresses.api ?? "";
	const { token } = await createClient({ apiUrl }).signIn({ username: "admin", password: firstUser?.password ?? "" });
	const { key } = await createClient({ apiUrl, token }).apiKeys.create({ user: "bridge" });
	env = { ...process.env, SVC_API_URL: apiUrl, SVC_API_KEY: key ?? "", USER: "ann" };
});
test.after(async () => {
	await service?.stop();
	rmSync(directory, { recursive: true });
});

/** Writes lines to the bridge, each after the expected output of the previous one. */
async function chat(lines: readonly (readonly [written: string, answers: number])[]): Promise<readonly string[]> {
	const bridge = spawn(process.execPath, [join(import.meta.dirname, "bridge.mjs")], { env, stdio: ["pipe", "pipe", "inherit"] });
	const printed = createInterface({ input: bridge.stdout })[Symbol.asyncIterator]();
	const said: string[] = [];
	try {
		for (const [written, answers] of lines) {
			bridge.stdin.write(`${written}\n`);
			for (let count = 0; count < answers; count += 1) said.push(String((await printed.next()).value));
		}
	} finally {
		bridge.kill();
	}
	return said;
}

test("what is written in the chat runs an action, and what comes of it is said there", async () => {
	const [unknown, looking, result, refused] = await chat([
		["make coffee", 1],
		["How full is /tmp?", 2],
		["disk usage of /tmp'; rm -rf '", 1],
	]);
	assert.match(unknown ?? "", /^ann: command: "make coffee" matches no action alias/);
	assert.equal(looking, "ann: Looking at /tmp.");
	assert.match(result ?? "", /^ann: \/tmp is \d+% full\.$/);
	assert.match(refused ?? "", /^ann: .*volume/);
});

test.run();
