// test-waits
// test-suite: full
import * as assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { test as everyTest } from "uvu";
import type { PluginContext, RunnerPlugin } from "../../core/contract/index.ts";
import { createRunContext, silentLogger } from "../../core/testing/run-context.ts";
import { testNode, withRunner } from "../../core/testing/runner/started-runner.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { missing, requires } from "../../core/testing/test-requirements.ts";
import { keepLauncher } from "../_process/launcher.test-support.ts";
import { createCases, waits } from "./cases.test-support.ts";
import { assertContentVersions } from "./content-version.test-support.ts";
import { pythonScript } from "./index.ts";
import { PythonPack, toInterpreter, withPython } from "./python-pack.test-support.ts";

const test = withPython(everyTest);
keepLauncher(test, { nodeId: testNode, logger: silentLogger });

const pack = new PythonPack(test);

const leaves = (mark: string) => `(setsid sh -c 'sleep ${mark}; sleep 600' >/dev/null 2>&1 &); sleep 0.3`;

testRunner({
	patience: 30_000,
	test,
	name: "python script",
	create: () => pythonScript({ engine: "cpython", python_binary: toInterpreter() }),
	cases: {
		...createCases(pack),
		ignoresTerm: pack.body("ignores", `import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n${waits}`),
		doubleForks: (mark) => pack.body("forks", `import subprocess\nsubprocess.run(['sh', '-c', "${leaves(mark)}"])\n${waits}`),
	},
});

interface LogLine {
	readonly message: string;
	readonly fields: Readonly<Record<string, unknown>>;
}

/** Start a runner, keep what it logs, stop it. */
async function startAndLog(plugin: RunnerPlugin): Promise<LogLine[]> {
	const lines: LogLine[] = [];
	const keep = (message: string, fields = {}) => void lines.push({ message, fields });
	const runner = plugin.create();
	const context: PluginContext = {
		logger: { debug: keep, info: keep, warn: keep, error: keep },
		clock: { now: () => Date.now() * 1000 },
		dataDirectory: pack.directory,
		nodeId: testNode,
		options: createOptions(),
	};
	try {
		await runner.start?.(context);
	} finally {
		await runner.stop?.();
	}
	return lines;
}

/** An interpreter that says it is of this version. */
function pretend(version: string): string {
	pack.write(`bin/python-${version}`, `#!/bin/sh\necho ${version}\necho "$0"\n`);
	chmodSync(join(pack.directory, "bin", `python-${version}`), 0o755);
	return join(pack.directory, "bin", `python-${version}`);
}

test("the engine chosen is logged with its version", async () => {
	const [line] = await startAndLog(pythonScript());
	assert.equal(line?.message, "python engine chosen");
	assert.equal(line?.fields["engine"], "cpython");
	assert.match(String(line?.fields["version"]), /^3\.\d+\.\d+$/);
});

test("an engine that was asked for and cannot run ends the start with the reason", async () => {
	const missing = pythonScript({ engine: "cpython", python_binary: "/no/such/python" });
	await assert.rejects(startAndLog(missing), /the Python interpreter "\/no\/such\/python" cannot be started/);
	await assert.rejects(
		startAndLog(pythonScript({ engine: "cpython", python_binary: pretend("3.7.2") })),
		/is Python 3\.7\.2, but actions require 3\.8/,
	);
	await assert.rejects(startAndLog(pythonScript({ engine: "cpython", python_binary: "true" })), /"true" is not a Python interpreter/);
});

test("without a suitable python3 the other engine is chosen, and the log says why", async () => {
	const [line] = await startAndLog(pythonScript({ python_binary: pretend("2.7.18") }));
	assert.equal(line?.fields["engine"], "pyodide");
	assert.match(String(line?.fields["reason"]), /^cpython: .* is Python 2\.7\.18/);
});

requires(everyTest, { command: missing({ command: "git" }) === undefined ? "python3" : "git" }).test(
	"content_version runs the class of a revision with the modules of that revision",
	() =>
		withRunner(pythonScript({ engine: "cpython" }).create(), (runner) =>
			assertContentVersions(async (options) => runner.run(createRunContext(runner, options))),
		),
);

test("an action may choose another engine than the runner's", async () => {
	await withRunner(pythonScript({ python_binary: "/no/such/python" }).create(), async (runner) => {
		const context = createRunContext(runner, { ...pack.body("chosen", "return 1"), runnerParameters: { svc_engine: "cpython" } });
		await assert.rejects(runner.run(context), /the Python interpreter ".*" cannot be started/);
	});
});

everyTest.run();
