import * as assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "../../../contract/index.ts";
import type { Engine } from "../../../kernel/engine-api.ts";
import { principal, startEngine } from "../../../testing/engine/engine.test-support.ts";
import { type Files, install, manifest, withDirectory, writeFiles } from "../activation/pack-activation.test-support.ts";

const look = "name: look\nrunner_type: scripted\n";
const rule = (more = "") => `name: on\nenabled: true\ntrigger: {type: disk.full}\naction: {ref: disk.look}\n${more}`;
const disk: Files = {
	"disk/pack.yaml": manifest("disk"),
	"disk/actions/look.yaml": look,
	"disk/triggers/full.yaml": "name: full\n",
	"disk/rules/on.yaml": rule(),
	"disk/aliases/look.yaml": "name: look\naction_ref: disk.look\nformats: [look]\n",
};

interface Place {
	readonly engine: Engine;
	readonly directory: string;
	write(files: Files): Promise<void>;
}

/** An engine whose packs lie in a directory with some files. */
async function withPacks(files: Files, use: (place: Place) => Promise<void>): Promise<void> {
	await withDirectory(async (directory) => {
		await writeFiles(directory, files);
		const { engine, stop } = await startEngine({ options: { packs: [directory] } });
		try {
			await use({ engine, directory, write: (more) => writeFiles(directory, more) });
		} finally {
			await stop();
		}
	});
}

test("what has changed in the directory of a pack holds without a restart, and what is told is how much there is", () =>
	withPacks(disk, async ({ engine, directory, write }) => {
		await write({ "disk/actions/more.yaml": "name: more\nrunner_type: scripted\n", "disk/rules/on.yaml": rule("description: d\n") });
		await rm(join(directory, "disk/aliases/look.yaml"));
		const counts = await engine.packRegister.register({ packs: ["disk"] }, principal);
		assert.deepEqual(
			{ ...counts, runners: 0 },
			{ runners: 0, rule_types: 2, policy_types: 5, triggers: 1, sensors: 0, actions: 2, rules: 1, aliases: 0, policies: 0, configs: 1 },
		);
		assert.ok((counts["runners"] ?? 0) > 0);
		assert.equal((await engine.rules.get("disk.on")).rule.description, "d");
		assert.equal((await engine.actions.get("disk.more")).runner_type, "scripted");
		// Its file has gone; it stays until the pack does.
		assert.equal((await engine.aliases.get("disk.look")).ref, "disk.look");
	}));

test("only the kinds that are asked for are read, and words that there are not are ignored", () =>
	withPacks(disk, async ({ engine, write }) => {
		await write({ "disk/actions/look.yaml": `${look}description: new\n`, "disk/rules/on.yaml": rule("description: new\n") });
		const { runners, ...counts } = await engine.packRegister.register({ types: ["action", "nonsense"] }, principal);
		assert.deepEqual(counts, { actions: 1 });
		assert.ok((runners ?? 0) > 0);
		assert.equal((await engine.actions.get("disk.look")).description, "new");
		assert.equal((await engine.rules.get("disk.on")).rule.description, "");
		assert.deepEqual(await engine.packRegister.register({ types: ["rules"] }, principal), { rule_types: 2, rules: 1 });
		assert.equal((await engine.rules.get("disk.on")).rule.description, "new");
	}));

test("a pack that was put beside the others is found", () =>
	withPacks(disk, async ({ engine, write }) => {
		await write({ "net/pack.yaml": manifest("net"), "net/actions/ping.yaml": "name: ping\nrunner_type: scripted\n" });
		assert.equal((await engine.packRegister.register({}, principal))["actions"], 2);
		assert.equal((await engine.actions.get("net.ping")).pack, "net");
	}));

test("one file that cannot be used keeps everything as it was, or is left out where that is asked for", () =>
	withPacks(disk, async ({ engine, write }) => {
		await write({ "disk/actions/look.yaml": "name: look\nrunner_type: nope\n", "disk/rules/on.yaml": rule("description: d\n") });
		await assert.rejects(engine.packRegister.register({}, principal), (error) => {
			assert.ok(isSvcError(error, "SVC_INVALID"));
			assert.match(error.message, /^pack "disk": actions\/look\.yaml:2: attribute "runner_type" must be one of scripted \(runner_type\)/);
			return true;
		});
		assert.equal((await engine.rules.get("disk.on")).rule.description, "");
		const counts = await engine.packRegister.register({ fail_on_failure: false }, principal);
		assert.deepEqual([counts["actions"], counts["rules"]], [0, 1]);
		assert.equal((await engine.rules.get("disk.on")).rule.description, "d");
		assert.equal((await engine.actions.get("disk.look")).runner_type, "scripted");
	}));

test("values that the schema does not allow any more keep a pack from being registered; that there are none yet does not", () =>
	withPacks({ ...disk, "disk/config.schema.yaml": "size: {type: integer, required: true}\n" }, async ({ engine, write }) => {
		assert.equal((await engine.packRegister.register({}, principal))["configs"], 0);
		await engine.packConfigs.set("disk", { size: 5 }, principal);
		assert.equal((await engine.packRegister.register({ types: ["config"] }, principal))["configs"], 1);
		await write({ "disk/config.schema.yaml": "size: {type: string}\n" });
		await assert.rejects(
			engine.packRegister.register({}, principal),
			/^SvcError: pack "disk": config\.schema\.yaml: configuration of pack "disk": .*size/,
		);
	}));

test("packs that there are not are named, and what belongs to the service is left alone", () =>
	withPacks({ ...disk, "net/pack.yaml": "name: [\n" }, async ({ engine, directory }) => {
		await assert.rejects(engine.packRegister.register({ packs: ["nope"] }, principal), /pack "nope" is neither installed/);
		await assert.rejects(engine.packRegister.register({ packs: ["net"] }, principal), /pack "net": pack\.yaml: line/);
		await assert.rejects(engine.packRegister.register({}, principal), (error) => {
			assert.match((error as Error).message, /^net\/pack\.yaml: line/);
			return !(error as Error).message.includes(directory);
		});
		assert.equal((await engine.packRegister.register({ packs: ["core"] }, principal))["actions"], 0);
		assert.equal((await engine.packRegister.register({ packs: ["disk"] }, principal))["actions"], 1);
	}));

test("an installed pack is registered from what was installed", () =>
	withPacks(disk, async ({ engine }) => {
		await install(engine, "net", { "actions/ping.yaml": "name: ping\nrunner_type: scripted\n" });
		const { id } = await engine.actions.get("net.ping");
		assert.equal((await engine.packRegister.register({}, principal))["actions"], 2);
		assert.equal((await engine.actions.get("net.ping")).id, id);
	}));

test("what operators override holds for all packs, then for one, then for one resource", () =>
	withPacks(disk, async ({ engine, write }) => {
		const enabled = async () => [
			(await engine.actions.get("disk.look")).enabled,
			(await engine.rules.get("disk.on")).rule.enabled,
			(await engine.aliases.get("disk.look")).enabled,
		];
		assert.deepEqual(await enabled(), [true, true, true]);
		await write({ "overrides/_global.yaml": "actions: {defaults: {enabled: false}}\nrules: {defaults: {enabled: false}}\n" });
		const counts = await engine.packRegister.register({}, principal);
		assert.deepEqual(await enabled(), [false, false, true]);
		assert.deepEqual([counts["actions(overridden)"], counts["rules(overridden)"], counts["aliases(overridden)"]], [1, 1, undefined]);
		await write({
			"overrides/disk.yaml":
				"actions: {defaults: {enabled: true}}\nrules: {exceptions: {on: {enabled: true}}}\naliases: {exceptions: {look: {enabled: false}}}\n",
		});
		await engine.packRegister.register({}, principal);
		assert.deepEqual(await enabled(), [true, true, false]);
	}));

test("an override of anything but enabled is refused, with file and place", () =>
	withPacks({ ...disk, "overrides/_global.yaml": "" }, async ({ engine, write }) => {
		const refusals: readonly (readonly [string, RegExp])[] = [
			[
				"actions: {exceptions: {look: {description: x}}}",
				/overrides\/disk\.yaml: actions, exceptions, look: .*"description".*only "enabled" can be/,
			],
			["actions: {exceptions: {look: {enabled: 1}}}", /"enabled" must be true or false/],
			["policies: {defaults: {enabled: false}}", /"policies"/],
			["rules: 5", /"rules" must be an object/],
			["rules: {exceptions: {on: true}}", /rules, exceptions, on: must be an object with the member enabled/],
		];
		await write({ "overrides/_global.yaml": "actions: {}\n" });
		for (const [text, message] of refusals) {
			await write({ "overrides/disk.yaml": text });
			await assert.rejects(engine.packRegister.register({}, principal), message);
		}
		await write({ "overrides/_global.yaml": "actions: {exceptions: {look: {enabled: false}}}\n", "overrides/disk.yaml": "{}\n" });
		await assert.rejects(engine.packRegister.register({}, principal), /overrides\/_global\.yaml: actions: .*"exceptions"/);
	}));

test("a directory of the configuration replaces the installed pack of the same name", () =>
	withDirectory(async (directory) => {
		const { createBackend } = await import("../../../testing/backends/backend.test-support.ts");
		const backend = createBackend();
		const start = (packs: readonly string[]) =>
			startEngine({ storage: backend.storage, eventBus: backend.eventBus, options: { packs: [...packs] } });
		try {
			await writeFiles(directory, disk);
			const before = await start([]);
			await install(before.engine, "disk", { "actions/old.yaml": "name: old\nrunner_type: scripted\n", "actions/look.yaml": look });
			await before.stop();
			const after = await start([directory]);
			const [pack] = await after.storage.find("pack", { where: { ref: "disk" } });
			assert.deepEqual([pack?.content, pack?.path], [null, join(directory, "disk")]);
			assert.deepEqual(
				(await after.storage.find("action", { where: { pack: "disk" } })).map(({ name, content }) => [name, content]),
				[["look", null]],
			);
			await after.stop();
			const again = await start([]);
			assert.equal(await again.storage.count("action", { pack: "disk" }), 1);
			await again.stop();
		} finally {
			await backend.release();
		}
	}));

test.run();
