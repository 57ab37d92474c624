import "../../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import { createClient } from "../../../plugins/_shipped/client.ts";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";
import type { JsonObject } from "../../contract/index.ts";
import { createService, type Service } from "../../index.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";

const home = mkdtempSync(join(tmpdir(), "svc-cli-inquiry-"));
let service: Service;
let apiUrl = "";

test.before(async () => {
	service = createService({
		storage: memoryStorage(),
		event_bus: memoryBus(),
		runners: [inquirer()],
		data_dir: join(home, "data"),
		auth: { enable: false, port: 0 },
		api: { port: 0 },
		stream: { port: 0 },
		log: { level: "error" },
	});
	apiUrl = (await service.start()).addresses.api ?? "";
});

test.after(async () => {
	await service.stop();
	rmSync(home, { recursive: true });
});

async function svc(words: readonly string[], input = "") {
	const [stdout, stderr] = [new CapturedText(), new CapturedText()];
	const env = { HOME: home, SVC_API_URL: apiUrl };
	const exitCode = await runSvc(words, { stdout, stderr, stdin: Readable.from([input]), env, onInterrupt: () => () => true });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

async function ask(parameters: JsonObject = {}): Promise<string> {
	const { executions } = createClient({ apiUrl });
	const { id } = await executions.create({ action: "core.ask", parameters });
	while ((await executions.get(id)).status !== "pending") await new Promise((resolve) => setImmediate(resolve));
	return id;
}

const answerTo = async (id: string) => (await createClient({ apiUrl }).executions.get(id)).result?.["response"];

test("questions are listed and shown", async () => {
	const id = await ask({ route: "night-shift" });
	const { stdout } = await svc(["inquiry", "list"]);
	assert.match(stdout, new RegExp(`${id}.*night-shift`));
	assert.match((await svc(["inquiry", "get", id])).stdout, /schema:\n +title: response_data/);
	assert.equal((await svc(["inquiry", "get", "0".repeat(24)])).exitCode, 2);
	assert.equal((await svc(["inquiry", "respond", id, "-r", '{"continue": true}'])).exitCode, 0);
	assert.deepEqual(await answerTo(id), { continue: true });
});

test("each property is asked for by its description, and again when the answer does not fit", async () => {
	const schema = {
		properties: {
			go: { type: "boolean", required: true, description: "Shall we go on?" },
			count: { type: "integer", default: 3 },
			colour: { type: "string", enum: ["red", "blue"] },
			hosts: { type: "array" },
			pin: { type: "string", secret: true },
			note: { type: "string" },
		},
	};
	const id = await ask({ schema });
	const { exitCode, stdout, stderr } = await svc(["inquiry", "respond", id, "-j"], "\nmaybe\nyes\n\ngreen\nblue\na,b\n1234\n\n");
	assert.equal(exitCode, 0, stderr);
	assert.deepEqual(await answerTo(id), { go: true, count: 3, colour: "blue", hosts: ["a", "b"], pin: "********" });
	assert.deepEqual(JSON.parse(stdout).response.pin, "********");
	for (const part of [
		"Shall we go on?\ngo (boolean): ",
		'"go" is required',
		"must be true or false",
		"count (integer, default 3): ",
		'"red" | "blue"',
	]) {
		assert.ok(stderr.includes(part), `${part} in ${stderr}`);
	}
});

test("what is wrong with an answer is said, and the input may end", async () => {
	const id = await ask();
	assert.deepEqual((await svc(["inquiry", "respond", id, "-r", "[1]"])).exitCode, 1);
	const refused = await svc(["inquiry", "respond", id, "-r", "{}"]);
	assert.equal(refused.exitCode, 1);
	assert.match(refused.stderr, /did not pass schema validation/);
	const ended = await svc(["inquiry", "respond", id], "");
	assert.equal(ended.exitCode, 2);
	assert.match(ended.stderr, /input ended/);
});

test.run();
