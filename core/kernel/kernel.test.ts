import * as assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "uvu";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { type ActionEntity, nodeRoles } from "../contract/index.ts";
import { createMemoryLogger, createOptions } from "../testing/http/fake-engine.test-support.ts";
import { getSystemClock } from "./basics/clock.ts";
import type { Principal } from "./basics/principal.ts";
import { createEngineOf } from "./engine.ts";
import type { CreateFeatures, FeatureMap } from "./feature-list.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-kernel-"));
const maria: Principal = { username: "maria", isAdmin: true, authentication: { method: "none" } };

const greet: Omit<ActionEntity, "id"> = {
	ref: "site.greet",
	pack: "site",
	name: "greet",
	description: "",
	enabled: true,
	runner_type: "local-shell-cmd",
	entry_point: "",
	metadata_file: null,
	parameters: {},
	output_schema: {},
	notify: {},
	content: null,
	tags: [],
};

/** An engine of kernel, storage, event bus and one runner. */
function createAlone<F extends FeatureMap>(createFeatures: CreateFeatures<F>) {
	const storage = memoryStorage();
	const store = storage.create();
	const { lines: _lines, ...log } = createMemoryLogger();
	const logger = { ...log, withTag: () => logger, addSecret: () => undefined, forgetSecret: () => undefined };
	const engine = createEngineOf(
		{
			options: createOptions(),
			roles: nodeRoles,
			composition: {
				storage: { ...storage, create: () => store },
				eventBus: memoryBus(),
				runners: [localCommand()],
				sensors: [],
				dialects: [],
				telemetry: [],
				authBackend: undefined,
			},
			access: {},
			packs: [],
			followedPacks: [],
			configs: join(directory, "configs"),
			dataDirectory: directory,
			logger,
			clock: getSystemClock(),
			adminPassword: undefined,
			apiUrl: () => "",
			addresses: () => ({}),
			version: "0.0.0",
		},
		createFeatures,
	);
	return { engine, storage: store };
}

test("without any feature an action runs, its output is kept, and its end is recorded", async () => {
	const { engine, storage } = createAlone(() => ({}));
	await engine.start();
	await storage.insert("action", [{ id: "1".repeat(24), ...greet }]);
	const { entity } = await engine.executions.submit({ action: "site.greet", parameters: { cmd: "echo hello; echo oh >&2" } }, maria);
	let seen = "";
	for await (const { data } of engine.output.follow(entity.id, { type: "stdout", signal: new AbortController().signal })) seen += data;
	assert.equal(seen, "hello\n");
	const { entity: ended } = await engine.executions.get(entity.id);
	assert.equal(ended.status, "succeeded");
	assert.equal(ended.result?.["stderr"], "oh");
	assert.deepEqual(
		ended.log.map(({ status }) => status),
		["requested", "scheduled", "running", "succeeded"],
	);
	await engine.stop();
});

test("features are registered, started and stopped in their order, and hear of ends", async () => {
	const calls: string[] = [];
	const { engine, storage } = createAlone(() => ({
		first: {
			api: { first: 1 },
			register: async () => void calls.push("register first"),
			start: () => void calls.push("start first"),
			stop: () => void calls.push("stop first"),
			async onCompletion({ status }) {
				calls.push(`end ${status}`);
				throw new Error("it must not take the end along");
			},
			runCredentials: {
				issue: () => ({ token_hash: "what it is recognised by", environment: { GIVEN: "a thing of value" }, secret: "a thing of value" }),
				toEnvironment: () => ({ GIVEN: "a thing of value" }),
				toRevocations: ({ status }) => {
					calls.push(`take back ${status}`);
					return [];
				},
			},
		},
		second: { api: {}, register: async () => void calls.push("register second"), stop: () => void calls.push("stop second") },
	}));
	assert.equal(engine.first, 1);
	await engine.start();
	await storage.insert("action", [{ id: "1".repeat(24), ...greet }]);
	const { entity } = await engine.executions.submit({ action: "site.greet", parameters: { cmd: 'echo "$GIVEN"' } }, maria);
	for await (const _chunk of engine.output.follow(entity.id, { signal: new AbortController().signal }));
	// What it was given shows nowhere.
	assert.equal((await engine.executions.get(entity.id)).entity.result?.["stdout"], "********");
	await engine.stop();
	const expected = ["register first", "register second", "start first", "take back running", "end succeeded", "stop second", "stop first"];
	assert.deepEqual(calls, expected);
});

test("what only one feature may have is not given by two", () => {
	const authority = { principalOf: async () => maria, isAdministrator: async () => true, assertMayRun() {} };
	assert.throws(
		() => createAlone(() => ({ one: { api: {}, authority }, other: { api: {}, authority } })),
		/features: at most one feature may provide "authority"/,
	);
});

/** Features whose name is no word of the kernel itself; the datastore is one of the language of templates, which the kernel renders. */
const words: Readonly<Record<string, RegExp>> = {
	// "Inquiry" is what users call a question, and messages use their words.
	inquiries: /inquiries/i,
	// Imports name the file of the lease policy, which is something else.
	policies: /(?<!\/lease-)\bpolic(?:y|ies)/i,
	retention: /retention|garbage/i,
	webhooks: /webhook/i,
	// Runners have the capability "workflow", and records say so.
	workflows: /workflows/i,
};

test("the kernel names no feature", () => {
	const source = fileURLToPath(new URL("../../", import.meta.url)).replace(/build\/tests\/$/, "");
	const folder = join(source, "core/kernel");
	const named: string[] = [];
	for (const name of readdirSync(folder, { recursive: true }).map(String)) {
		if (!name.endsWith(".ts") || /\.test(-support)?\.ts$/.test(name)) continue;
		const text = readFileSync(join(folder, name), "utf8");
		if (/from ".*\/features\//.test(text)) named.push(`${name} imports a feature`);
		for (const [feature, word] of Object.entries(words))
			if (word.test(text)) named.push(`${name} names ${feature}: ${word.exec(text)?.[0]}`);
	}
	assert.deepEqual(named, []);
});

test.after(() => rmSync(directory, { recursive: true }));

test.run();
