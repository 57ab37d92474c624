// test-waits
import * as assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { RunResult } from "../../core/contract/index.ts";
import { createRunContext, type RunContextOptions, silentLogger, type TestRunContext } from "../../core/testing/run-context.ts";
import { testNode, withRunner } from "../../core/testing/runner/started-runner.ts";
import { type RunnerCases, testRunner } from "../../core/testing/runner-suite.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { keepLauncher } from "../_process/launcher.test-support.ts";
import { localCommand } from "./index.ts";

keepLauncher(test, { nodeId: testNode, logger: silentLogger });

const misbehaves = {
	printsInvalid: { runnerParameters: { cmd: "printf 'a\\377b\\n'" } },
	printsSplit: { runnerParameters: { cmd: "printf '\\303'; sleep 0.1; printf '\\251\\n'" } },
	closesOutput: { runnerParameters: { cmd: "echo ready; exec >&-; sleep 0.2; exit 4" } },
	ignoresTerm: { runnerParameters: { cmd: "trap '' TERM; echo ready; while :; do sleep 600; done" } },
	doubleForks: (mark: string) => ({
		runnerParameters: {
			cmd: `(setsid sh -c "trap '' TERM; sleep ${mark}; sleep 600" >/dev/null 2>&1 &); sleep 0.3; echo ready; sleep 600`,
		},
	}),
	hidesSecret: (secret: string) => ({ runnerParameters: { cmd: "echo ready; sleep 600", sudo_password: secret } }),
} as const;

const cases: RunnerCases = {
	succeeds: { runnerParameters: { cmd: "true" } },
	fails: { runnerParameters: { cmd: "exit 3" } },
	throws: { runnerParameters: { cmd: "true", cwd: "/does/not/exist" } },
	prints: (count) => ({ runnerParameters: { cmd: `i=1; while [ $i -le ${count} ]; do echo line $i; i=$((i+1)); done` } }),
	blocks: { runnerParameters: { cmd: "echo ready; sleep 600" } },
	...misbehaves,
};

testRunner({ test, name: "local command", create: () => localCommand(), cases, patience: 30_000 });

testRunner({
	patience: 30_000,
	test,
	name: "local command that survives",
	create: () => localCommand({ survive_restart: true }),
	cases: {
		...cases,
		lasts: (count) => ({ runnerParameters: { cmd: `i=1; while [ $i -le ${count} ]; do echo line $i; i=$((i+1)); sleep 0.02; done` } }),
	},
});

type Parameters = NonNullable<RunContextOptions["runnerParameters"]>;

/** Run one command and return how it ended. `during` may act on the run. */
async function run(parameters: Parameters, more: RunContextOptions = {}, during?: (context: TestRunContext) => Promise<void>) {
	let end: RunResult | undefined;
	let context: TestRunContext | undefined;
	await withRunner(localCommand().create(), async (runner) => {
		context = createRunContext(runner, { ...more, runnerParameters: parameters });
		const running = runner.run(context);
		await during?.(context);
		end = await running;
	});
	assert.ok(end !== undefined && context !== undefined);
	return { ...end, context };
}

test("the result has both outputs without the final newline, and the exit code", async () => {
	const { result, succeeded, context } = await run({ cmd: "echo 10; echo wrong >&2; exit 127" });
	assert.equal(succeeded, false);
	assert.deepEqual(result, { failed: true, succeeded: false, return_code: 127, stdout: "10", stderr: "wrong" });
	assert.equal(context.text("stdout"), "10\n");
	assert.equal(context.text("stderr"), "wrong\n");
});

test("exactly one line end is taken off", async () => {
	assert.equal((await run({ cmd: "printf 'a\\n\\n'" })).result["stdout"], "a\n");
	assert.equal((await run({ cmd: "printf 'a\\r\\n'" })).result["stdout"], "a");
	assert.equal((await run({ cmd: "printf a" })).result["stdout"], "a");
});

test("a cut output is marked with its size", async () => {
	const { result } = await run({ cmd: "printf 'abcdefghij'; printf x >&2" }, { maxResultOutput: 4 });
	assert.deepEqual(result, { failed: false, succeeded: true, return_code: 0, stdout: "abcd", stderr: "x", truncated: { stdout: 10 } });
});

test("a time-out gives -9, names the time and keeps the output", async () => {
	const { result, status } = await run({ cmd: "echo begun; sleep 600", timeout: 7 }, {}, async (context) => {
		await context.waitFor("stdout", "begun\n");
		context.abort("timeout");
	});
	assert.equal(status, undefined, "the host says timeout");
	assert.deepEqual(result, {
		failed: true,
		succeeded: false,
		return_code: -9,
		stdout: "begun",
		stderr: "",
		error: "Action failed to complete in 7 seconds",
	});
});

test("a shell ended from outside is read as timeout (KILL) and abandoned (TERM)", async () => {
	const killed = await run({ cmd: "kill -9 $$" });
	assert.equal(killed.status, "timeout");
	assert.equal(killed.result["return_code"], -9);
	assert.equal(killed.result["error"], "the process was ended by signal 9 (SIGKILL), possibly because it ran out of memory");
	const ended = await run({ cmd: "kill -15 $$" });
	assert.equal(ended.status, "abandoned");
	assert.equal(ended.result["return_code"], -15);
	assert.equal(ended.result["error"], "the process was ended by signal 15 (SIGTERM)");
	const crashed = await run({ cmd: "kill -SEGV $$" });
	assert.deepEqual([crashed.status, crashed.result["return_code"]], [undefined, -11]);
	assert.match(String(crashed.result["error"]), /signal 11 \(SIGSEGV\)$/);
	const child = await run({ cmd: "sh -c 'kill -9 $$'; exit $?" });
	assert.equal(child.status, undefined);
	assert.equal(child.result["return_code"], 137);
});

test("what the command leaves in the background, its output elsewhere, outlives the run", async () => {
	const end = await run({ cmd: "sleep 47 >/dev/null 2>&1 & echo $!" });
	assert.equal(end.succeeded, true);
	const pid = Number(end.result["stdout"]);
	assert.equal(process.kill(pid, 0), true);
	process.kill(pid, "SIGKILL");
});

test("the environment is an allow list, then env, then the service's own variables", async () => {
	process.env["SVC_TEST_SECRET"] = "not for children";
	const environment = { SVC_ACTION_API_URL: "http://localhost:1/v1" };
	const env = { A: "b c", NUMBER: 1, YES: true, SVC_ACTION_API_URL: "forged" };
	const { result } = await run({ cmd: "env", env }, { environment });
	delete process.env["SVC_TEST_SECRET"];
	const lines = String(result["stdout"]).split("\n");
	for (const line of ["A=b c", "NUMBER=1", "YES=True", "SVC_ACTION_API_URL=http://localhost:1/v1", "PYTHONUNBUFFERED=1", "TERM=dumb"]) {
		assert.ok(lines.includes(line), line);
	}
	assert.ok(!lines.some((line) => line.startsWith("SVC_TEST_SECRET")));
});

test("the command runs in cwd", async () => {
	const directory = realpathSync(mkdtempSync(join(tmpdir(), "svc cwd ")));
	try {
		assert.equal((await run({ cmd: "pwd -P", cwd: directory })).result["stdout"], directory);
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test("what cannot be passed on is refused by name", async () => {
	await assert.rejects(run({ cmd: "true", cwd: "/does/not/exist" }), /"cwd": "\/does\/not\/exist"/);
	await assert.rejects(run({ cmd: "echo a\0b" }), /"cmd" must not contain a NUL/);
	await assert.rejects(run({ cmd: "true", env: { A: "\0" } }), /"env" must not contain a NUL/);
	await assert.rejects(run({ cmd: "true", env: { "A=B": "c" } }), /"env": "A=B"/);
	await assert.rejects(run({}), /"cmd" is required/);
	await assert.rejects(run({ cmd: `: ${"x".repeat(200_000)}` }), /longer than the system allows/);
});

requires(test, { package: "node-pty" }).test("with pty stdout is a terminal and stderr is not", async () => {
	const { result } = await run({ cmd: "test -t 1 && echo terminal; test -t 2 || echo pipe >&2", svc_pty: true });
	assert.equal(result["stdout"], "terminal");
	assert.equal(result["stderr"], "pipe");
});

const asRoot = requires(test, { command: "sudo", root: true });

asRoot.test("sudo runs the command as root and keeps the environment", async () => {
	const { result } = await run({ cmd: "id -u; echo $A $SUDO_COMMAND", sudo: true, env: { A: "kept" } });
	assert.match(String(result["stdout"]), /^0\nkept \S*bash -c /);
});

asRoot.test("a sudo password that is not asked for does not reach the command", async () => {
	const { result } = await run({ cmd: "cat; id -u", sudo: true, sudo_password: "secret" });
	assert.equal(result["stdout"], "0");
});

test("a wrong sudo password is told in words", async () => {
	// Stands in for sudo: as root the real one never asks.
	const directory = mkdtempSync(join(tmpdir(), "svc-sudo-"));
	const script = 'read password; printf "[sudo] password for ann: Sorry, try again.\\nsudo: 1 incorrect password attempt\\n" >&2; exit 1';
	writeFileSync(join(directory, "sudo"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	try {
		const { result, succeeded } = await run({
			cmd: "true",
			sudo: true,
			sudo_password: "wrong",
			env: { PATH: `${directory}:/usr/bin:/bin` },
		});
		assert.equal(succeeded, false);
		assert.equal(result["return_code"], -1);
		assert.equal(result["error"], "Invalid sudo password provided or sudo is not configured for this user (ann)");
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test.run();
