// test-waits
import * as assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { startEngine, type TestEngine, type TestEngineOptions } from "../../testing/engine/engine.test-support.ts";
import { createSharedStorage } from "../../testing/engine/shared-storage.test-support.ts";
import { install as installPack, packsOf } from "../packs/activation/pack-activation.test-support.ts";
import { createFakeLanguage, createPackOnDisk, type FakeLanguage, type PackOnDisk } from "./pack-sensors.test-support.ts";
import { toSensorTypes } from "./routes.ts";
import { until } from "./sensors.test-support.ts";

const metadata = (more = "") =>
	`class_name: VolumeSensor\nentry_point: volume.fake\ndescription: Watches volumes.\ntrigger_types: [{name: full, payload_schema: {type: object, properties: {n: {type: integer}}}}]\n${more}`;
const files = { "sensors/volume.yaml": metadata(), "sensors/volume.fake": "one" };
const ref = "disk.VolumeSensor";

interface Test {
	readonly pack: PackOnDisk;
	readonly language: FakeLanguage;
	/** A node with the pack; those of one test share their records. */
	start(options?: TestEngineOptions): Promise<TestEngine>;
}

async function withPack(given: Readonly<Record<string, string>>, use: (test: Test) => Promise<void>): Promise<void> {
	const pack = await createPackOnDisk(given);
	const language = createFakeLanguage();
	const { createDoor, release } = createSharedStorage();
	const nodes: TestEngine[] = [];
	try {
		await use({
			pack,
			language,
			async start({ options, ...rest } = {}) {
				const { plugin: storage, eventBus } = createDoor();
				const sensorcontainer = { restart_delay: 0.05, shutdown_grace: 0.2 };
				const scheduler = { poll_interval: 0.05, lease: 1 };
				const node = await startEngine({
					...{ storage, eventBus, runners: [language.plugin] },
					...rest,
					options: { packs: [pack.directory], sensorcontainer, scheduler, ...options },
				});
				nodes.push(node);
				return node;
			},
		});
	} finally {
		for (const node of nodes.reverse()) await node.stop();
		await release();
		await pack.remove();
	}
}

test("a sensor of a pack runs as its file says, and what it dispatches becomes trigger instances", () =>
	withPack({ ...files, "sensors/volume.yaml": metadata("poll_interval: 7\n") }, async ({ pack, language, start }) => {
		const { engine } = await start();
		await until(() => language.active().length === 1);
		const [{ definition, context }] = language.runs as [FakeLanguage["runs"][number]];
		assert.deepEqual(definition, {
			ref,
			pack: "disk",
			name: "VolumeSensor",
			description: "Watches volumes.",
			entryPoint: join(pack.directory, "sensors/volume.fake"),
			packDirectory: pack.directory,
			poll_interval: 7,
			trigger_types: [{ name: "full" }],
		});
		assert.equal(context.poll_interval, 7);
		await context.dispatch("disk.full", { n: 1 });
		assert.equal(await context.dispatch("disk.full", { n: "none" }), undefined, "the schema of the file holds");
		const { items } = await engine.triggers.instances.list({ trigger_type: "disk.full" }, {});
		assert.deepEqual(
			items.map(({ payload }) => payload),
			[{ n: 1 }],
		);
		await until(async () => (await engine.sensorTypes.get(ref)).state === "running");
		const { entry_point, metadata_file, content, trigger_types } = await engine.sensorTypes.get(ref);
		assert.deepEqual([entry_point, metadata_file, content, trigger_types], ["volume.fake", "sensors/volume.yaml", null, ["disk.full"]]);
		assert.equal((await engine.triggers.types.get("disk.full")).metadata_file, "sensors/volume.yaml");
		const [record] = await toSensorTypes([await engine.sensorTypes.get(ref)], engine.sensorTypes);
		assert.equal(record?.["entry_point"], "sensors.volume.VolumeSensor");
		assert.equal(record?.["artifact_uri"], `file://${pack.directory}/sensors/volume.fake`);
		assert.equal(record?.["metadata_file"], "sensors/volume.yaml");
	}));

test("a sensor of a pack dispatches no event of the service itself", () =>
	withPack(files, async ({ language, start }) => {
		const { engine } = await start();
		await until(() => language.active().length === 1);
		const { context } = language.runs[0] as FakeLanguage["runs"][number];
		const forged = { id: "x", timestamp: 1, exit_code: 0 };
		await assert.rejects(context.dispatch("core.svc.sensor.process_exit", forged), { code: "SVC_FORBIDDEN" });
		assert.equal((await engine.triggers.instances.list({ trigger_type: "core.svc.sensor.process_exit" }, {})).total, 0);
	}));

test("a sensor of an installed pack is begun anew with another version, keeps on where nothing is another, and goes with the pack", () =>
	withPack({}, async ({ language, start }) => {
		const options = { packs: [], sensorcontainer: { shutdown_grace: 0.2 }, scheduler: { poll_interval: 0.05, lease: 1 } };
		const { engine } = await start({ options });
		await start({ options });
		const install = async (text: string, more = {}) => installPack(engine, "inst", { ...files, ...more, "sensors/volume.fake": text });
		await install("one");
		await until(() => language.active().length === 1);
		const [first] = language.active();
		assert.equal(first?.definition.ref, "inst.VolumeSensor");
		assert.equal((await engine.sensorTypes.get("inst.VolumeSensor")).content?.length, 64);
		await install("one");
		await engine.sensorTypes.setEnabled("inst.VolumeSensor", true);
		assert.deepEqual(language.active(), [first], "the same content changes nothing");
		await install("one", { "sensors/library.fake": "what it imports" });
		await until(() => language.runs.length === 2 && language.active().length === 1);
		assert.notEqual(language.active()[0]?.definition.packDirectory, first?.definition.packDirectory);
		await installPack(engine, "inst", {});
		await until(() => language.active().length === 0);
		assert.equal((await engine.sensorTypes.list({}, {})).total, 0);
		await assert.rejects(engine.triggers.types.get("inst.full"), { code: "SVC_NOT_FOUND" }, "its trigger types go with it");
		await install("three");
		await until(() => language.active().some(({ text }) => text === "three"));
		await packsOf(engine).switch.remove(["inst"]);
		await until(() => language.active().length === 0);
		assert.equal(language.runs.length, 3);
	}));

test("what operators have switched off stays off; a file may begin switched off", () =>
	withPack({ ...files, "sensors/volume.yaml": metadata("enabled: false\n") }, async ({ language, start }) => {
		const { engine } = await start();
		assert.equal((await engine.sensorTypes.get(ref)).enabled, false);
		await engine.sensorTypes.setEnabled(ref, true);
		await until(() => language.active().length === 1);
		await engine.sensorTypes.setEnabled(ref, false);
		await until(() => language.active().length === 0);
		const again = await start();
		assert.equal((await again.engine.sensorTypes.get(ref)).enabled, false);
		assert.equal(language.runs.length, 1);
	}));

test("a changed file ends the sensor where it runs and begins it anew, once on all nodes; an unchanged one leaves it alone", () =>
	withPack(files, async ({ pack, language, start }) => {
		await start();
		await until(() => language.active().length === 1);
		await start();
		assert.equal(language.runs.length, 1, "another node registers the same");
		await pack.write({ "sensors/volume.fake": "two" });
		await start();
		await until(() => language.active().some(({ text }) => text === "two"));
		assert.deepEqual(
			language.runs.map(({ text }) => text),
			["one", "two"],
		);
		assert.equal(language.active().length, 1);
		await pack.write({ "sensors/volume.yaml": metadata("poll_interval: 9\n") });
		await start();
		await until(() => language.active().some(({ definition }) => definition.poll_interval === 9));
		assert.equal(language.active().length, 1);
	}));

test("a sensor whose record goes is ended, and one of its name begins once it has ended", () =>
	withPack({ ...files, "sensors/volume.fake": "deaf" }, async ({ language, start }) => {
		const { engine, storage } = await start();
		await until(() => language.active().length === 1);
		const record = await storage.get("sensor", (await engine.sensorTypes.get(ref)).id);
		assert.ok(record);
		await storage.remove("sensor", { where: { id: record.id } });
		await storage.insert("sensor", [{ ...record, id: "0".repeat(24), owner: null, fence: null, lease_expires_at: null }]);
		await until(() => language.runs.length === 2);
		assert.equal(language.runs[0]?.hasEnded, true, "never two at a time");
		await storage.remove("sensor", { where: { id: "0".repeat(24) } });
		await until(() => language.active().length === 0);
	}));

test("a sensor that fails is started again, and says why", () =>
	withPack({ ...files, "sensors/volume.fake": "broken" }, async ({ pack, language, start }) => {
		const { engine } = await start();
		await until(async () => (await engine.sensorTypes.get(ref)).last_error === "the file is broken");
		await pack.write({ "sensors/volume.fake": "whole" });
		await until(() => language.runs.some(({ text }) => text === "whole"));
	}));

test("a node that runs sensors only runs those of packs", () =>
	withPack(files, async ({ language, start }) => {
		await start({ only: ["auth", "api", "stream", "worker", "rules", "timers"] });
		assert.equal(language.runs.length, 0);
		await start({ only: ["sensors"] });
		await until(() => language.active().length === 1);
	}));

const bad: readonly [what: string, given: Readonly<Record<string, string>>, problem: RegExp][] = [
	["names no class", { "sensors/volume.yaml": "entry_point: volume.fake\n" }, /attribute "class_name" is missing/],
	["has an unknown attribute", { "sensors/volume.yaml": metadata("poll: 3\n") }, /unknown attribute "poll"/],
	[
		"polls too often",
		{ "sensors/volume.yaml": metadata("poll_interval: 3\n") },
		/"poll_interval" must be a whole number of seconds, at least 4/,
	],
	["is of another pack", { "sensors/volume.yaml": metadata("pack: other\n") }, /attribute "pack" must be "disk"/],
	[
		"has a type of another pack",
		{ "sensors/volume.yaml": "class_name: V\nentry_point: volume.fake\ntrigger_types: [{name: a, pack: core}]\n" },
		/"trigger_types", entry 1: attribute "pack" must be "disk"/,
	],
	[
		"leads out of its folder",
		{ "sensors/volume.yaml": "class_name: V\nentry_point: ../actions/a.fake\n", "actions/a.fake": "" },
		/path of a file below the sensors directory/,
	],
	[
		"names a file that is not there",
		{ "sensors/volume.yaml": "class_name: V\nentry_point: gone.fake\n" },
		/"gone\.fake", which cannot be read/,
	],
	[
		"is in a language that nobody runs",
		{ "sensors/volume.yaml": "class_name: V\nentry_point: volume.rb\n", "sensors/volume.rb": "" },
		/"volume\.rb", which no configured runner supports; the supported file extensions are \.fake/,
	],
	[
		"has a schema that is none",
		{ "sensors/volume.yaml": "class_name: V\nentry_point: volume.fake\ntrigger_types: [{name: a, payload_schema: {type: 1}}]\n" },
		/payload_schema/,
	],
];

for (const [what, given, problem] of bad) {
	test(`a file that ${what} is skipped by name, and the others count`, () =>
		withPack(
			{ ...files, ...given, "sensors/well.yaml": "class_name: Well\nentry_point: well.fake\n", "sensors/well.fake": "" },
			async ({ start }) => {
				const { lines, restore } = captureLog();
				try {
					const { engine } = await start({ options: { log: { level: "warn" } } });
					assert.deepEqual(
						(await engine.sensorTypes.list({}, {})).items.map((sensor) => sensor.ref),
						["disk.Well"],
					);
				} finally {
					restore();
				}
				const told = lines.find((line) => line.includes("pack content was skipped")) ?? "";
				assert.match(told.replaceAll('\\"', '"'), problem);
				assert.match(told, /sensors\/volume\.yaml/);
			},
		));
}

test("of two files with one class the first counts, also at the next start", () =>
	withPack({ ...files, "sensors/z.yaml": metadata("poll_interval: 60\n") }, async ({ language, start }) => {
		for (let count = 0; count < 2; count++) {
			const { engine } = await start();
			const { metadata_file, poll_interval } = await engine.sensorTypes.get(ref);
			assert.deepEqual([metadata_file, poll_interval], ["sensors/volume.yaml", null]);
		}
		await until(() => language.active().length === 1);
		assert.equal(language.runs.length, 1);
	}));

test("what a file of its own says of a trigger type holds, and a start changes nothing", () =>
	withPack({ ...files, "triggers/full.yaml": "name: full\ndescription: Said here.\n" }, async ({ start }) => {
		const { engine } = await start();
		const type = await engine.triggers.types.get("disk.full");
		assert.deepEqual([type.description, type.metadata_file], ["Said here.", "triggers/full.yaml"]);
		await start();
		assert.deepEqual(await engine.triggers.types.get("disk.full"), type);
	}));

test("a program behind a link that leads out of the pack is not run", () =>
	withPack({ "sensors/volume.yaml": metadata() }, async ({ pack, language, start }) => {
		await symlink("/etc/hostname", join(pack.directory, "sensors/volume.fake"));
		const { engine } = await start();
		assert.equal((await engine.sensorTypes.list({}, {})).total, 0);
		assert.equal(language.runs.length, 0);
	}));

/** Lines of the log, which goes to standard error. */
function captureLog(): { readonly lines: string[]; restore(): void } {
	const lines: string[] = [];
	const { write } = process.stderr;
	process.stderr.write = ((text: string) => {
		lines.push(...String(text).split("\n"));
		return true;
	}) as typeof write;
	return {
		lines,
		restore: () => {
			process.stderr.write = write;
		},
	};
}

test.run();
