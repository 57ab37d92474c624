import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-records-"));
/** Requests that arrived, such as `POST /v1/tokens`. */
let requests: string[] = [];
const server = createServer(({ method, url }, response) => {
	requests.push(`${method} ${url}`);
	response.writeHead(401).end();
});
let env: Record<string, string> = {};

test.before(async () => {
	mkdirSync(join(home, ".svc"));
	writeFileSync(join(home, ".svc", "config"), "[credentials]\nusername = maria\npassword = secret\n");
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
	env = { HOME: home, SVC_API_URL: url, SVC_AUTH_URL: url };
});

test.before.each(() => {
	requests = [];
});

test.after(() => {
	server.close();
	rmSync(home, { recursive: true });
});

async function svc(...words: readonly string[]) {
	const stderr = new CapturedText();
	const exitCode = await runSvc(words, { stdout: new CapturedText(), stderr, env });
	return { exitCode, stderr: stderr.text };
}

for (const words of [
	...["rule", "policy", "trigger", "action-alias"].flatMap((group) => [
		[group, "create"],
		[group, "update", "default.mine"],
	]),
	["apikey", "load"],
	["key", "load"],
	["config", "set", "core"],
	["pack", "install", "--locked"],
]) {
	test(`${words.join(" ")} sends no request if its file cannot be read`, async () => {
		const missing = join(home, "missing.yaml");
		const { exitCode, stderr } = await svc(...words, missing);
		assert.deepEqual([exitCode, stderr], [2, `error: file "${missing}" does not exist\n`]);
		assert.deepEqual(requests, []);
	});
}

test("a file that cannot be used is named with the reason", async () => {
	const broken = join(home, "broken.yaml");
	const list = join(home, "list.yaml");
	writeFileSync(broken, "name: [");
	writeFileSync(list, "- name: mine\n");
	const create = async (file: string) => (await svc("rule", "create", file)).stderr;
	assert.equal(await create("missing.yaml"), `error: file "missing.yaml" does not exist in ${process.cwd()}\n`);
	assert.equal(await create(home), `error: file "${home}" is a directory; name a file in it\n`);
	assert.ok((await create(broken)).startsWith(`error: file "${broken}" is not valid JSON or YAML: `));
	assert.equal(await create(list), `error: file "${list}" must contain an object\n`);
	assert.deepEqual(requests, []);
});

test("a command signs in with the password of the configuration once its file is read", async () => {
	const file = join(home, "rule.yaml");
	writeFileSync(file, "name: mine\n");
	await svc("rule", "create", file);
	assert.ok(requests[0]?.startsWith("POST /v1/tokens"), requests.join());
});

test.run();
