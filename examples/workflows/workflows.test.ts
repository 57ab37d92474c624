// test-suite: full
import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { createService, loadConfig, type Service } from "svc-automation";
import { type Client, createClient, type ExecutionRecord } from "svc-automation/client";
import { test } from "uvu";

const directory = mkdtempSync(join(tmpdir(), "svc-workflows-"));
const mirror = join(directory, "mirror");
const workflows = join(import.meta.dirname, "packs/site/actions/workflows");
/** Files have the name of their release, so no other test may use this one. */
const release = `test-${process.pid}`;
const file = `/tmp/site-${release}.tar`;
const finals = ["succeeded", "failed", "timeout", "abandoned", "canceled"];
let service: Service | undefined;
let client: Client | undefined;

test.before(async () => {
	mkdirSync(mirror);
	writeFileSync(join(mirror, `${release}.tar`), "a release\n");
	const config = await loadConfig(join(import.meta.dirname, "svc.config.ts"));
	const env = {
		SVC_DATA_DIR: join(directory, "data"),
		SVC_LOG_LEVEL: "error",
		SVC_AUTH_PORT: "0",
		SVC_API_PORT: "0",
		SVC_STREAM_PORT: "0",
	};
	service = createService(config, { env: { ...process.env, ...env }, directory: import.meta.dirname });
	const { addresses } = await service.start();
	client = createClient({ apiUrl: addresses.api ?? "" });
});
test.after(async () => {
	await service?.stop();
	rmSync(directory, { recursive: true });
	rmSync(file, { force: true });
});

function connected(): Client {
	assert.ok(client !== undefined);
	return client;
}

async function settled(id: string, status?: string): Promise<ExecutionRecord> {
	for (;;) {
		const execution = await connected().executions.get(id);
		if (execution.status === status || finals.includes(execution.status)) return execution;
		await delay(50);
	}
}

async function run(action: string, parameters: Record<string, string | readonly string[]>): Promise<string> {
	return (await connected().executions.create({ action, parameters })).id;
}

/** Runs a deployment and answers its question. */
async function deploy(response: Record<string, boolean | string>): Promise<ExecutionRecord> {
	const id = await run("site.deploy", { release, mirror });
	assert.equal((await settled(id, "paused")).status, "paused");
	const [question] = (await connected().inquiries.list()).items;
	assert.match(JSON.stringify(question), new RegExp(`Install ${release} on 5 hosts`));
	await connected().inquiries.respond(question?.id ?? "", response);
	return settled(id);
}

test("a release that somebody has approved of is installed on all hosts", async () => {
	const { status, result } = await deploy({ approved: true });
	assert.equal(status, "succeeded", JSON.stringify(result));
	const installed = [1, 2, 3, 4, 5].map((number) => `web-${number} has site-${release}.tar`);
	assert.deepEqual(result?.["output"], { decision: "approved", installed });
});

test("a release that somebody has refused is not, and nothing has failed", async () => {
	const { status, result } = await deploy({ approved: false, reason: "it is Friday" });
	assert.equal(status, "succeeded", JSON.stringify(result));
	assert.deepEqual(result?.["output"], { decision: "refused: it is Friday", installed: [] });
});

test("a release that cannot be fetched is tried again, nobody is asked, and nothing of it is left", async () => {
	const id = await run("site.fetch", { release: "none", mirror });
	const { status, result } = await settled(id);
	assert.equal(status, "failed");
	assert.match(JSON.stringify(result?.["output"]), /none\.tar/);
	assert.equal(existsSync("/tmp/site-none.tar.part"), false);
	const downloads = await connected().executions.list({ parent: id, action: "site.download" });
	assert.equal(downloads.total, 4);
});

test("every workflow passes its cases", async () => {
	for (const name of readdirSync(workflows).filter((each) => !each.endsWith(".test.yaml"))) {
		const words = ["workflow", "test", join(workflows, name)];
		const { stdout } = await promisify(execFile)(process.execPath, [
			join(import.meta.dirname, "../../dist/plugins/_shipped/main.js"),
			...words,
		]);
		assert.match(stdout, /^(\d) of \1 cases passed$/m);
	}
});

test("the README names every file of the example", () => {
	const text = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
	for (const name of ["deploy.yaml", "fetch.yaml", "install.yaml", "config.schema.yaml", "svc.config.ts"])
		assert.ok(text.includes(name), name);
});

test.run();
