import * as assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "uvu";
import { createEngine } from "../../index.ts";
import type { Engine } from "../../kernel/engine-api.ts";
import { createBackend } from "../../testing/backends/backend.test-support.ts";
import { principal } from "../../testing/engine/engine.test-support.ts";
import type { RuleInput } from "./rules-exports.ts";

const manifest = "name: disk\nversion: 1.2.3\ndescription: d\nauthor: Ann\nemail: ann@example.org\n";
const rule = (more = "") => `name: on_full\nenabled: true\ntrigger: {type: disk.full}\naction: {ref: core.noop}\n${more}`;

/** Starts an engine once for each set of files, on one storage. */
async function withPack(
	...steps: readonly (readonly [files: Readonly<Record<string, string>>, check: (engine: Engine) => Promise<void>])[]
): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-packs-"));
	const { storage, eventBus, release } = createBackend();
	try {
		for (const [files, check] of steps) {
			for (const [name, text] of Object.entries({ "pack.yaml": manifest, ...files })) {
				const path = join(directory, "disk", name);
				await mkdir(dirname(path), { recursive: true });
				await writeFile(path, text);
			}
			const engine = createEngine(
				{
					storage,
					event_bus: eventBus,
					runners: [],
					packs: [join(directory, "disk")],
					data_dir: directory,
					auth: { enable: false },
					log: { level: "error" },
				},
				{ directory },
			);
			await engine.start();
			try {
				await check(engine);
			} finally {
				await engine.stop();
			}
		}
	} finally {
		await release();
		await rm(directory, { recursive: true, force: true });
	}
}

const type = "name: full\ndescription: A volume is full.\npayload_schema: {type: object, properties: {volume: {type: string}}}\n";

test("trigger types and rules come from the files of a pack", () =>
	withPack([
		{ "triggers/full.yaml": type, "rules/on_full.yaml": rule("criteria: {trigger.volume: {type: equals, pattern: /data}}\n") },
		async (engine) => {
			const { rule: found, trigger } = await engine.rules.get("disk.on_full");
			assert.equal(found.enabled, true);
			assert.equal(found.metadata_file, "rules/on_full.yaml");
			assert.equal(found.user, "svc");
			assert.equal(trigger?.ref, "disk.full");
			assert.deepEqual(found.criteria, { "trigger.volume": { type: "equals", pattern: "/data" } });
			assert.equal((await engine.triggers.types.get("disk.full")).description, "A volume is full.");
		},
	]));

test("a bad file is skipped, the others count", () =>
	withPack([
		{
			"triggers/full.yaml": type,
			"rules/a.yaml": "name: a\nunknown: 1\n",
			"rules/b.yaml": "name: b\ntrigger: {type: disk.nothing}\naction: {ref: core.noop}\n",
			"rules/c.yaml": "name: c\ntrigger: {type: disk.full}\naction: {ref: core.noop}\ncriteria: {trigger.x: {type: nothing, pattern: 1}}\n",
			"rules/d.yaml": "name: d\ntrigger: {type: disk.full}\naction: {ref: core.noop}\ncriteria: {trigger.x: {type: regex, pattern: (}}\n",
			"rules/on_full.yaml": rule(),
		},
		async (engine) => {
			const { items } = await engine.rules.list({ pack: "disk" }, {});
			assert.deepEqual(
				items.map((view) => view.rule.name),
				["on_full"],
			);
		},
	]));

test("a changed file changes its rule, and operators decide whether it is enabled", () =>
	withPack(
		[
			{ "triggers/full.yaml": type, "rules/on_full.yaml": rule() },
			async (engine) => {
				const { rule: found } = await engine.rules.get("disk.on_full");
				const input: RuleInput = { name: found.name, trigger: { type: "disk.full" }, action: { ref: "core.noop" } };
				await engine.rules.update("disk.on_full", { ...input, metadata_file: "rules/on_full.yaml", enabled: false }, principal);
			},
		],
		[
			{},
			async (engine) => {
				const { enabled, user } = (await engine.rules.get("disk.on_full")).rule;
				assert.deepEqual([enabled, user], [false, "svc"], "what the file says is the pack's again");
			},
		],
		[
			{ "rules/on_full.yaml": rule("description: Changed.\n") },
			async (engine) => {
				const { rule: found } = await engine.rules.get("disk.on_full");
				assert.deepEqual([found.description, found.enabled], ["Changed.", false]);
			},
		],
	));

const policy = (more = "") => `name: one\nresource_ref: disk.sweep\npolicy_type: action.concurrency\nparameters: {threshold: 1}\n${more}`;

test("policies come from the files of a pack; what operators have switched off stays off", () =>
	withPack(
		[
			{ "policies/one.yaml": policy(), "policies/bad.yaml": "name: bad\nresource_ref: disk.sweep\npolicy_type: action.nothing\n" },
			async (engine) => {
				const { id, turn, ...found } = await engine.policies.get("disk.one");
				assert.deepEqual(found, {
					ref: "disk.one",
					pack: "disk",
					name: "one",
					description: "",
					enabled: true,
					resource_ref: "disk.sweep",
					policy_type: "action.concurrency",
					metadata_file: "policies/one.yaml",
					parameters: { threshold: 1, action: "delay" },
				});
				assert.equal((await engine.policies.list({}, {})).total, 1);
				await engine.policies.update(id, { ...found, metadata_file: "policies/one.yaml", enabled: false });
			},
		],
		[
			{ "policies/one.yaml": policy("description: One at a time.\n") },
			async (engine) => {
				const { enabled, description } = await engine.policies.get("disk.one");
				assert.deepEqual([enabled, description], [false, "One at a time."]);
			},
		],
	));

test.run();
