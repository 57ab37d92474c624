import * as assert from "node:assert/strict";
import { appendFile, copyFile, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { SensorTrigger } from "../../core/contract/index.ts";
import { createSensorHost, type SensorHost, testSensor } from "../../core/testing/index.ts";
import { fileWatch } from "./index.ts";

const trigger = (path: string, name = "one"): SensorTrigger => ({
	ref: `linux.${name}`,
	type: "linux.file_watch.line",
	parameters: { file_path: path },
});

testSensor({
	test,
	name: "file watch",
	create: async () => {
		const directory = await mkdtemp(join(tmpdir(), "svc-file-watch-"));
		const path = join(directory, "app.log");
		await writeFile(path, "old\n");
		let count = 0;
		return {
			plugin: fileWatch({ paths: [path], interval: 0.02 }),
			host: { triggers: [trigger(path)] },
			async ready(host) {
				while (host.items.size === 0) await new Promise((resolve) => setTimeout(resolve, 2));
			},
			provoke: () => appendFile(path, `line ${++count}\n`),
			cleanUp: () => rm(directory, { recursive: true }),
		};
	},
});

interface Setup {
	readonly directory: string;
	readonly path: string;
	readonly host: SensorHost;
	/** Start a run; it is told to end by what it resolves with. */
	start(): { stop(): Promise<void> };
	/** Wait for so many lines in all; their texts. */
	lines(count: number): Promise<readonly unknown[]>;
	/** Wait until the file's position is kept. */
	isWatched(): Promise<void>;
	/** Let some looks pass. */
	pass(): Promise<void>;
}

async function withSetup(use: (setup: Setup) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-file-watch-"));
	const path = join(directory, "app.log");
	const host = createSensorHost({ triggers: [trigger(path)] });
	const sensor = fileWatch({ paths: [directory], interval: 0.02 }).create();
	const running: (() => Promise<void>)[] = [];
	const texts = () => host.dispatched.map(({ payload }) => payload["line"]);
	const setup: Setup = {
		directory,
		path,
		host,
		start() {
			const context = host.createContext();
			const run = sensor.run(context);
			const stop = async () => {
				context.abort();
				await run;
			};
			running.push(stop);
			return { stop };
		},
		async lines(count) {
			await Promise.race([
				host.waitFor(count),
				new Promise((_resolve, reject) => setTimeout(() => reject(new Error(`only ${JSON.stringify(texts())}`)), 5_000).unref()),
			]);
			return texts();
		},
		async isWatched() {
			while (host.items.size === 0) await new Promise((resolve) => setTimeout(resolve, 2));
		},
		pass: () => new Promise((resolve) => setTimeout(resolve, 200)),
	};
	try {
		await use(setup);
	} finally {
		for (const stop of running) await stop();
		await rm(directory, { recursive: true });
	}
}

test("what was there before is left out, and an unfinished line comes whole once it is finished", () =>
	withSetup(async ({ path, start, lines, isWatched, host }) => {
		await writeFile(path, "old\nhalf");
		start();
		await isWatched();
		await appendFile(path, " a line\r\n\nlast");
		assert.deepEqual(await lines(2), ["half a line", ""]);
		assert.deepEqual(host.dispatched[0]?.payload, { file_path: path, file_name: "app.log", line: "half a line" });
		assert.equal(host.dispatched[0]?.trigger, "linux.one");
	}));

test("a file that does not exist yet is read from its beginning", () =>
	withSetup(async ({ path, start, lines, isWatched }) => {
		start();
		await isWatched();
		await writeFile(path, "first\n");
		assert.deepEqual(await lines(1), ["first"]);
	}));

test("rotation by renaming loses nothing, also of a writer that changes over late", () =>
	withSetup(async ({ path, start, lines, isWatched }) => {
		await writeFile(path, "");
		start();
		await isWatched();
		await appendFile(path, "1\n");
		await lines(1);
		await appendFile(path, "2\n");
		await rename(path, `${path}.1`);
		await writeFile(path, "5\n");
		await appendFile(`${path}.1`, "3\n");
		await lines(3);
		await appendFile(`${path}.1`, "4 without an end");
		assert.deepEqual(await lines(5), ["1", "2", "3", "4 without an end", "5"]);
	}));

test("a file that is emptied is read from its beginning, also when it has grown past the old end already", () =>
	withSetup(async ({ path, start, lines, isWatched }) => {
		await writeFile(path, "");
		start();
		await isWatched();
		await appendFile(path, "a\nb\n");
		await lines(2);
		await copyFile(path, `${path}.copy`);
		await truncate(path);
		await appendFile(path, "c\n");
		await lines(3);
		await writeFile(path, "d which is longer\ne\n");
		assert.deepEqual(await lines(5), ["a", "b", "c", "d which is longer", "e"]);
	}));

test("a restart neither loses nor repeats lines, over a rotation in between", () =>
	withSetup(async ({ path, start, lines, isWatched }) => {
		await writeFile(path, "");
		const first = start();
		await isWatched();
		await appendFile(path, "1\n2\n");
		await lines(2);
		await first.stop();
		await appendFile(path, "3\n");
		await start().stop();
		const second = start();
		await lines(3);
		await second.stop();
		await appendFile(path, "4\n");
		await rename(path, `${path}.1`);
		await writeFile(path, "5\n");
		start();
		assert.deepEqual(await lines(5), ["1", "2", "3", "4", "5"]);
	}));

test("lines that were told and whose position was lost in a crash are told once", () =>
	withSetup(async ({ path, start, lines, isWatched, host, pass }) => {
		await writeFile(path, "");
		const first = start();
		await isWatched();
		const [name = "", kept = ""] = [...host.items][0] ?? [];
		await appendFile(path, "1\n2\n");
		await lines(2);
		await first.stop();
		host.items.set(name, kept);
		start();
		await appendFile(path, "3\n");
		await pass();
		assert.deepEqual(await lines(3), ["1", "2", "3"]);
	}));

test("long lines come in pieces, and characters stay whole", () =>
	withSetup(async ({ path, start, lines, isWatched }) => {
		await writeFile(path, "");
		start();
		await isWatched();
		const long = "ä€𝄞".repeat(20_000);
		await appendFile(path, `${long}\nshort\n`);
		await lines(4);
		const texts = (await lines(4)).map(String);
		assert.equal(texts.at(-1), "short");
		assert.equal(texts.slice(0, -1).join(""), long);
	}));

test("files come and go with the rules, and one that comes again begins with what is appended then", () =>
	withSetup(async ({ directory, path, start, lines, isWatched, host, pass }) => {
		const other = join(directory, "other.log");
		await writeFile(path, "");
		await writeFile(other, "");
		start();
		await isWatched();
		host.setTriggers([trigger(path), trigger(other, "two")]);
		while (host.items.size < 2) await pass();
		await appendFile(other, "o\n");
		assert.deepEqual(await lines(1), ["o"]);
		host.setTriggers([trigger(other, "two")]);
		while (host.items.size > 1) await pass();
		await appendFile(path, "missed\n");
		await pass();
		host.setTriggers([trigger(path), trigger(other, "two")]);
		while (host.items.size < 2) await pass();
		await appendFile(path, "p\n");
		assert.deepEqual(await lines(2), ["o", "p"]);
	}));

test("files that are not allowed, links that lead out and what is no file are told of, and the others go on", () =>
	withSetup(async ({ directory, path, host, lines }) => {
		const outside = await mkdtemp(join(tmpdir(), "svc-outside-"));
		const watchable = join(directory, "watchable");
		await mkdir(join(watchable, "folder"), { recursive: true });
		await writeFile(join(outside, "secret"), "");
		await symlink(join(outside, "secret"), join(watchable, "link"));
		await symlink(join(outside, "secret"), join(watchable, "named"));
		const paths = ["app.log", "watchable/link", "watchable/named", "watchable/folder", "watchable/../outside"].map(
			(name) => `${directory}/${name}`,
		);
		host.setTriggers([...paths, join(outside, "secret"), "relative"].map((name, index) => trigger(name, `t${index}`)));
		const warnings: unknown[] = [];
		const context = host.createContext();
		const logger = {
			...context.logger,
			warn: (_message: string, fields: unknown) => void warnings.push((fields as { problem: string }).problem),
		};
		const sensor = fileWatch({ paths: [watchable, path, join(watchable, "named")], interval: 0.02 }).create();
		const run = sensor.run({ ...context, logger });
		while (host.items.size < 2) await new Promise((resolve) => setTimeout(resolve, 5));
		await appendFile(path, "allowed\n");
		await appendFile(join(outside, "secret"), "by a name of its own\n");
		assert.deepEqual([...(await lines(2))].sort(), ["allowed", "by a name of its own"]);
		context.abort();
		await run;
		assert.equal(warnings.length, 5, "each is told once");
		assert.equal(warnings.filter((warning) => /is not among the paths/.test(String(warning))).length, 3);
		assert.ok(warnings.some((warning) => /must be an absolute path/.test(String(warning))));
		assert.ok(warnings.some((warning) => /is not a regular file/.test(String(warning))));
		await rm(outside, { recursive: true });
	}));

test("options that cannot be are refused", () => {
	assert.throws(() => fileWatch({ paths: ["logs/app.log"] }).create(), /must be an absolute path/);
	assert.throws(() => fileWatch({ paths: [], interval: 0 }).create(), /interval: must be/);
	// Plain JavaScript may say anything.
	const make = fileWatch as unknown as (options?: unknown) => ReturnType<typeof fileWatch>;
	for (const options of [undefined, {}]) {
		assert.throws(() => make(options).create(), /^SvcError: sensor file-watch: paths: is required: a list of absolute paths/);
	}
	assert.throws(
		() => make({ paths: "/var/log", path: "/" }).create(),
		/paths: must be a list of .*; path: unknown option; allowed: paths, interval/,
	);
});

test.run();
