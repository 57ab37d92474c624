// test-waits
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { CapturedText } from "../../core/testing/cli/captured-text.test-support.ts";
import { conform } from "../../core/testing/conform/conform.ts";
import { toProgram } from "../../core/testing/program.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { toConformReport } from "./conform-commands.ts";
import { runSvc } from "./run-svc.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-conform-"));
test.after(() => rmSync(directory, { recursive: true }));

/** Written as the test is run: from sources or from what they were built into. */
const toModule = (path: string) => new URL(`${path}.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url).href;

function writeModule(name: string, text: string): string {
	const file = join(directory, name);
	writeFileSync(file, text);
	return file;
}

async function run(...argv: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
	const [stdout, stderr] = [new CapturedText(), new CapturedText()];
	const code = await runSvc(["conform", ...argv], { conform, stdout, stderr });
	return { code, stdout: stdout.text, stderr: stderr.text };
}

const runner = (succeeded: boolean) => `
export const conformance = {
	name: "shout",
	create: () => ({ kind: "runner", name: "shout", create: () => ({
		description: "x", parameters: {}, capabilities: {},
		run: async () => ({ succeeded: ${succeeded}, result: {} }),
	}) }),
	cases: { succeeds: {} },
};`;
const sound = writeModule("sound.mjs", runner(true));
const broken = writeModule("broken.mjs", runner(false));
const storage = writeModule("storage.ts", `export { memoryStorage } from "${toModule("../../plugins/storage-memory/index")}";`);
const bus = writeModule(
	"bus.ts",
	`import { memoryBus } from "${toModule("../../plugins/event-bus-memory/index")}";
export default memoryBus();`,
);

test("a plugin that keeps its promises ends with 0, and the report says what was left out", async () => {
	const { code, stdout } = await run("runner", sound);
	assert.equal(code, 0, stdout);
	assert.match(stdout, /^ {2}ok {4}shout: one instance runs many actions concurrently, \d+ ms$/m);
	assert.match(stdout, /^left out: statements of the cases fails, throws, prints, blocks: give them in `cases`$/m);
	assert.match(stdout, /^6 hold, 0 refused$/m);
});

test("a statement that is refused ends with 1, and says why", async () => {
	const { code, stdout } = await run("runner", broken);
	assert.equal(code, 1);
	assert.match(stdout, /FAIL {2}shout: a successful action resolves as succeeded.+\n\s+AssertionError/);
	assert.match(stdout, /^4 hold, 2 refused$/m);
});

test("a storage plugin and an event bus are tested as they are, in TypeScript too", async () => {
	for (const [kind, module] of [
		["storage", storage],
		["event-bus", bus],
	] as const) {
		const { code, stdout, stderr } = await run(kind, module, "--reporter", "json");
		assert.equal(code, 0, stdout + stderr);
		const report = JSON.parse(stdout);
		assert.deepEqual([report.kind, report.name, report.refused, report.left_out], [kind, "memory", 0, []]);
		assert.ok(report.hold > 20 && report.statements.length === report.hold);
	}
});

test("of a runner plugin alone the statements that need no case are tested", async () => {
	const module = writeModule("alone.mjs", `${runner(true)}\nexport default conformance.create;`.replace("export const", "const"));
	const { code, stdout } = await run("runner", module);
	assert.equal(code, 0, stdout);
	assert.match(stdout, /^left out: all statements about runs: export `conformance`/m);
});

test("only some statements, and all of it several times until one is refused", async () => {
	const { stdout } = await run("runner", sound, "--only", "concurrently", "--times", "3");
	assert.match(stdout, /^3 hold, 0 refused, in 3 rounds$/m);
	const refused = JSON.parse((await run("runner", broken, "--times", "3", "--reporter", "json")).stdout);
	assert.deepEqual(new Set(refused.statements.map(({ round }: { round: number }) => round)), new Set([1]));
});

test("a statement that takes longer than the time given is refused", async () => {
	const module = writeModule(
		"hangs.mjs",
		runner(true).replace("async () => ({ succeeded: true, result: {} })", "() => new Promise(() => {})"),
	);
	const { code, stdout } = await run("runner", module, "--only", "concurrently", "--timeout", "0.05");
	assert.equal(code, 1);
	assert.match(stdout, /it had not ended after 50 ms/);
});

test("wrong usage ends with 2 and says what is allowed", async () => {
	const cases: readonly (readonly [argv: readonly string[], says: RegExp])[] = [
		[["engine", sound], /Allowed choices are runner, auth-backend, storage, event-bus, sensor/],
		[["runner", join(directory, "missing.ts")], /missing\.ts" does not exist/],
		[["runner", writeModule("syntax.ts", "export default {")], /syntax\.ts" cannot be read/],
		[["runner", writeModule("nothing.mjs", "export const a = 1;")], /exports nothing that can be tested; expected an export "conformance"/],
		[["runner", writeModule("cases.mjs", "export default { create() {} };")], /"cases" is no object/],
		[["runner", storage], /exports a plugin of the kind "storage", not "runner"/],
		[
			["sensor", writeModule("sensor.mjs", 'export default { kind: "sensor", name: "x", create: () => ({}) };')],
			/for the kind "sensor" it must export `conformance`/,
		],
		[["runner", sound, "--only", "no such statement"], /--only: no statement of the kit contains "no such statement"/],
		[["runner", sound, "--times", "0"], /whole number of at least 1/],
		[["runner", sound, "--timeout", "soon"], /a number above 0/],
		[["runner", sound, "--reporter", "xml"], /Allowed choices are text, json, junit/],
		[["runner", sound, "--output-file", join(directory, "no", "file")], /--output-file: ".+" cannot be written/],
	];
	for (const [argv, says] of cases) {
		const { code, stderr } = await run(...argv);
		assert.equal(code, 2, argv.join(" "));
		assert.match(stderr, says);
	}
});

test("a storage that holds records is left alone", async () => {
	const module = writeModule(
		"full.ts",
		`import { memoryStorage } from "${toModule("../../plugins/storage-memory/index")}";
const storage = memoryStorage().create();
await storage.insert("trace", [{ id: "a", trace_tag: "mine", start_timestamp: "", traceparent: null }]);
export default { kind: "storage", name: "full", create: () => storage };`,
	);
	const { code, stdout } = await run("storage", module, "--only", "remove");
	assert.equal(code, 1);
	assert.match(stdout, /contains records of the kind "trace" and is not changed/);
	assert.match(stdout, /^0 hold/m);
});

requires(test, { command: "python3" }).test("a report as JUnit is XML, whatever an error holds", async () => {
	const error = 'Error: <a & "b"> ]]> \'\u0000\u001b[31m\ud800\n\tat é\u{1f600}';
	const text = toConformReport("junit", {
		kind: "storage",
		name: 'a "b"',
		module: "x",
		leftOut: ["<all>"],
		statements: [
			{ name: "holds", round: 1, milliseconds: 1_500, error: undefined },
			{ name: "<breaks>", round: 2, milliseconds: 1, error },
		],
	});
	const program =
		"import sys,json,xml.etree.ElementTree as e\nr=e.fromstring(sys.stdin.buffer.read())\ns=r[0]\nf=s[1][0]\nprint(json.dumps([s.get('name'),s.get('tests'),s.get('failures'),s[0].get('time'),s[1].get('name'),f.get('message'),f.text,s[2].text]))";
	const read = JSON.parse(execFileSync("python3", ["-c", program], { input: text, encoding: "utf8" }));
	const shown = 'Error: <a & "b"> ]]> \'\ufffd\ufffd[31m\ufffd\n\tat é\u{1f600}';
	assert.deepEqual(read, ['storage a "b"', "2", "1", "1.500", "<breaks> (round 2)", shown.split("\n")[0], shown, "left out: <all>"]);
});

test("the command ends though the plugin has left something open, with the report in a file", () => {
	const module = writeModule("open.mjs", `import { createServer } from "node:net";\ncreateServer().listen(0);\n${runner(true)}`);
	const output = join(directory, "report.xml");
	execFileSync(
		process.execPath,
		[
			...toProgram("../../plugins/_shipped/main", import.meta.url),
			"conform",
			"runner",
			module,
			"--reporter",
			"junit",
			"--output-file",
			output,
		],
		{
			timeout: 60_000,
		},
	);
	assert.match(readFileSync(output, "utf8"), /<testsuite name="runner shout" tests="6" failures="0"/);
});

test.run();
