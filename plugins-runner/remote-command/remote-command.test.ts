// test-waits
// test-suite: full
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "uvu";
import type { JsonObject } from "../../core/contract/index.ts";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { missing } from "../../core/testing/test-requirements.ts";
import { openSite, type RemoteRun, type RunnerParameters, runRemote, toLogin, toOptions } from "../_ssh/remote-run.test-support.ts";
import { sshdTest } from "../_ssh/sshd.test-support.ts";
import { remoteCommand } from "./index.ts";

// test-timeout: 240
const { site, sshd } = await openSite(test);
const remoteTest = sshdTest(test);
const login = toLogin(site, sshd);
const host = "127.0.0.1";
/** Root needs no password for it, which is then in the standard input all the same. */
const mayUseSudo = missing({ command: "sudo", root: true }) === undefined;

testRunner({
	patience: 30_000,
	test: remoteTest,
	name: "remote command",
	// Four seconds lie between TERM and KILL; each sweep of the host takes a channel of its own.
	grace: 10_000,
	create: () => remoteCommand(),
	options: toOptions(site),
	cases: {
		succeeds: { runnerParameters: { ...login, cmd: "true" } },
		fails: { runnerParameters: { ...login, cmd: "exit 3" } },
		throws: { runnerParameters: { ...login, hosts: " , ", cmd: "true" } },
		prints: (count) => ({ runnerParameters: { ...login, cmd: `i=1; while [ $i -le ${count} ]; do echo line $i; i=$((i+1)); done` } }),
		blocks: { runnerParameters: { ...login, cmd: "echo ready; sleep 600" } },
		printsInvalid: { runnerParameters: { ...login, cmd: "printf 'a\\377b\\n'" } },
		printsSplit: { runnerParameters: { ...login, cmd: "printf '\\303'; sleep 0.1; printf '\\251\\n'" } },
		closesOutput: { runnerParameters: { ...login, cmd: "echo ready; exec >&-; sleep 0.2; exit 4" } },
		ignoresTerm: { runnerParameters: { ...login, cmd: "trap '' TERM; echo ready; while :; do sleep 600; done" } },
		doubleForks: (mark) => {
			const own = `(setsid sh -c "trap '' TERM; sleep ${mark}; sleep 600" >/dev/null 2>&1 &)`;
			return { runnerParameters: { ...login, cmd: `${own}; sleep 0.3; echo ready; sleep 600` } };
		},
		hidesSecret: (secret) => ({
			runnerParameters: { ...login, cmd: "echo ready; sleep 600", sudo: mayUseSudo, sudo_password: secret, passphrase: secret },
		}),
	},
});

/** Run on the one host and give its part of the result. */
async function run(parameters: RunnerParameters, more: Partial<RemoteRun> = {}) {
	const plugin = remoteCommand();
	const end = await runRemote({ plugin, options: toOptions(site), ...more, runnerParameters: { ...login, ...parameters } });
	return { ...end, part: end.result[host] as JsonObject };
}

remoteTest("the result has an entry for the host with both outputs and the exit code", async () => {
	const { part, succeeded, context } = await run({ cmd: "echo 10; echo wrong >&2; exit 127" });
	assert.equal(succeeded, false);
	assert.deepEqual(part, { failed: true, succeeded: false, return_code: 127, stdout: "10", stderr: "wrong" });
	assert.equal(context.text("stdout"), "10\n");
	assert.equal(context.text("stderr"), "wrong\n");
});

remoteTest("a cut output is marked with its size, and is streamed whole", async () => {
	const options = toOptions(site, { actionrunner: { max_result_output: 5 } });
	const { part, context } = await run({ cmd: "printf 'abcdéfghij'; printf x >&2" }, { options });
	assert.deepEqual(part, { failed: false, succeeded: true, return_code: 0, stdout: "abcd", stderr: "x", truncated: { stdout: 11 } });
	assert.equal(context.text("stdout"), "abcdéfghij");
});

remoteTest("the environment is what the action and the service give, and the service wins", async () => {
	const environment = { SVC_ACTION_API_URL: "http://localhost:1/v1", SVC_ACTION_AUTH_TOKEN: "it's a 'token'\n$(id)" };
	const env = { A: "b  c", NUMBER: 1, YES: true, SVC_ACTION_API_URL: "forged" };
	const cmd = 'echo "$A|$NUMBER|$YES|$SVC_ACTION_API_URL|$SVC_ACTION_DEBUG|$SVC_ACTION_AUTH_TOKEN"';
	const { part } = await run({ cmd, env }, { environment });
	assert.equal(part["stdout"], `b  c|1|True|http://localhost:1/v1|False|${environment.SVC_ACTION_AUTH_TOKEN}`);
	await assert.rejects(run({ cmd: "true", env: { "A;id": "x" } }), /"env": "A;id" is not a valid variable name/);
});

remoteTest("neither the environment nor the command is in the host's list of processes", async () => {
	let list = "";
	await run(
		{ cmd: "echo ready; sleep 600; : marked-command" },
		{
			environment: { SVC_ACTION_AUTH_TOKEN: "marked-token" },
			async during(context) {
				await context.waitFor("stdout", "ready\n");
				list = execFileSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8" });
				context.abort("cancel");
			},
		},
	);
	assert.match(list, /\/bin\/sh -s/);
	assert.doesNotMatch(list, /marked-(token|command)/);
});

remoteTest("the command runs in cwd, by default in ssh_runner.remote_dir", async () => {
	assert.equal((await run({ cmd: "pwd -P" })).part["stdout"], "/tmp");
	assert.equal((await run({ cmd: "pwd -P", cwd: site.directory })).part["stdout"], site.directory);
	const options = toOptions(site, { ssh_runner: { remote_dir: "/var" } });
	assert.equal((await run({ cmd: "pwd -P" }, { options })).part["stdout"], "/var");
	const missing = await run({ cmd: "true", cwd: "/does/not/exist" });
	assert.equal(missing.part["return_code"], 1);
	assert.match(String(missing.part["stderr"]), /\/does\/not\/exist/);
});

remoteTest("a command may be of any length, read its empty input, and hold a syntax error", async () => {
	assert.equal((await run({ cmd: `: ${"x".repeat(1_000_000)}; echo end` })).part["stdout"], "end");
	assert.equal((await run({ cmd: "cat; echo after" })).part["stdout"], "after");
	const wrong = await run({ cmd: "echo 'never closed" });
	assert.equal(wrong.part["return_code"], 2);
});

remoteTest("a time-out gives -9, names the time and keeps the output", async () => {
	const during: RemoteRun["during"] = async (context) => {
		await context.waitFor("stdout", "begun\n");
		context.abort("timeout");
	};
	const { part, status } = await run({ cmd: "echo begun; sleep 600", timeout: 7 }, { during });
	assert.equal(status, undefined, "the host says timeout");
	const error = "Action failed to complete in 7 seconds";
	assert.deepEqual(part, { failed: true, succeeded: false, return_code: -9, stdout: "begun", stderr: "", error, timeout: true });
});

remoteTest("a command ended by a signal has failed with 255 and names the signal", async () => {
	const { part, succeeded } = await run({ cmd: "kill -9 $$" });
	assert.equal(succeeded, false);
	assert.equal(part["return_code"], 255);
	assert.match(String(part["error"]), /signal SIGKILL/);
});

remoteTest("what cannot be passed on is refused by name", async () => {
	await assert.rejects(run({ cmd: "echo a\0b" }), /"cmd" must not contain a NUL/);
	await assert.rejects(run({ cmd: "true", env: { A: "\0" } }), /"env" must not contain a NUL/);
	await assert.rejects(run({ cmd: "true", cwd: "a\0b" }), /"cwd" must not contain a NUL/);
	await assert.rejects(run({}), /"cmd" is required/);
	await assert.rejects(run({ cmd: "true", hosts: "good,bad host" }), /"hosts": "bad host" is not a host/);
});

test.run();
