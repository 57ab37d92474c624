// test-waits
import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import { createSoundBackend } from "./broken/auth-backends.test-support.ts";
import { createSoundSensor, Happenings } from "./broken/sensors.test-support.ts";
import { mockRunner, type RegisterTest, testAuthBackend, testEventBus, testRunner, testSensor, testStorage } from "./index.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-injection-"));
test.after(() => rmSync(directory, { recursive: true }));

const isSource = import.meta.url.endsWith(".ts");
const kits = new URL(`index.${isSource ? "ts" : "js"}`, import.meta.url).href;
const loader = isSource ? ["--import", import.meta.resolve("tsx")] : [];

/** A file of tests with a sound runner and one that says of itself that it has failed. */
function writeTests(name: string, head: string, foot = ""): string {
	const file = join(directory, name);
	writeFileSync(
		file,
		`${head}
import { testRunner } from "${kits}";
for (const succeeded of [true, false]) testRunner({
	test,
	name: succeeded ? "sound" : "broken",
	create: () => ({ kind: "runner", name: "x", create: () => ({
		description: "x", parameters: {}, capabilities: {},
		run: async () => ({ succeeded, result: {} }),
	}) }),
	cases: { succeeds: {} },
});
${foot}`,
	);
	return file;
}

function run(...args: readonly string[]): { code: number | null; output: string } {
	// A runner of tests within a runner of tests says so in the environment, and then reports to the outer one.
	const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
	const { status, stdout, stderr } = spawnSync(process.execPath, [...loader, ...args], {
		encoding: "utf8",
		timeout: 60_000,
		env: { ...environment, NO_COLOR: "1", FORCE_COLOR: "0" },
	});
	return { code: status, output: stdout + stderr };
}

test("under node:test every statement is a test, and one that is refused fails there", () => {
	const file = writeTests("node.test.mjs", 'import { test } from "node:test";');
	const { code, output } = run("--test", "--test-reporter=tap", file);
	assert.equal(code, 1, output);
	assert.match(output, /^# tests 12$/m);
	assert.match(output, /^# fail 2$/m);
	assert.match(output, /^\s*ok \d+ - sound: one instance runs many actions concurrently$/m);
	assert.match(output, /^\s*not ok \d+ - broken: one instance runs many actions concurrently$/m);
});

test("under uvu every statement is a test, and one that is refused fails there", () => {
	const file = writeTests("uvu.mjs", `import { test } from "${import.meta.resolve("uvu")}";`, "test.run();");
	const { code, output } = run(file);
	assert.equal(code, 1, output);
	assert.match(output, /Total: +12\n +Passed: +10\n/);
	assert.match(output, /FAIL +"broken: one instance runs many actions concurrently"/);
	assert.doesNotMatch(output, /FAIL +"sound/);
});

/** What vitest takes. It reads a function's parameters, so that one that has any would mean something else. */
type VitestTest = (name: string, run: () => Promise<void> | void, timeout?: number) => void;

test("every kit registers as vitest wants it: a name of its own and a function without parameters", () => {
	const calls: (readonly [name: string, run: () => unknown, more: number])[] = [];
	const vitest: VitestTest = (...call) => void calls.push([call[0], call[1], call.length - 2]);
	registerAll(vitest);
	assert.ok(calls.length > 120);
	assert.equal(new Set(calls.map(([name]) => name)).size, calls.length, "two statements have one name");
	for (const [name, register, more] of calls) {
		assert.match(name, /^(storage|bus(, two nodes)?|backend|sensor|runner): .{10,}[^.]$/);
		assert.deepEqual([typeof register, register.length, more], ["function", 0, 0], name);
	}
});

function registerAll(register: RegisterTest): void {
	const given = (name: string) => ({ test: register, name });
	const openStorage = async () => ({ storage: memoryStorage().create(), stop: async () => {} });
	const openBus = async () => memoryBus().create();
	const happenings = new Happenings();
	const sensor = { kind: "sensor", name: "x", create: () => createSoundSensor(happenings) } as const;
	testStorage({ ...given("storage"), create: openStorage });
	testEventBus({ ...given("bus"), create: openBus, connect: openBus });
	testAuthBackend({ ...given("backend"), create: async (users) => createSoundBackend(users) });
	testSensor({ ...given("sensor"), create: async () => ({ plugin: sensor, provoke: async () => happenings.add() }) });
	testRunner({
		...given("runner"),
		create: () => mockRunner(),
		cases: { succeeds: {}, fails: {}, throws: {}, blocks: {}, printsInvalid: {} },
	});
}

test.run();
