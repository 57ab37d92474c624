// test-waits
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import type { JsonObject } from "../../core/contract/index.ts";
import { remoteCommand } from "../remote-command/index.ts";
import { openSite, type RemoteRun, runRemote, toLogin, toOptions } from "./remote-run.test-support.ts";
import { sshdTest } from "./sshd.test-support.ts";

// test-timeout: 120
const { site, sshd } = await openSite(test);
const remoteTest = sshdTest(test);

async function run(cmd: string, more: Partial<RemoteRun> = {}) {
	const started = performance.now();
	const end = await runRemote({
		plugin: remoteCommand(),
		options: toOptions(site),
		...more,
		runnerParameters: { ...toLogin(site, sshd), cmd, ...more.runnerParameters },
	});
	return { ...end, part: end.result["127.0.0.1"] as JsonObject, seconds: (performance.now() - started) / 1_000 };
}

/** A number of seconds by which the processes of one test are found. */
function createMarker(): string {
	return String(randomInt(100_000_000, 999_999_999));
}

function findProcesses(marker: string): readonly string[] {
	const list = execFileSync("ps", ["-A", "-ww", "-o", "pid=,stat=,args="], { encoding: "utf8" }).split("\n");
	return list.filter((line) => line.includes(`sleep ${marker}`) && !/^\s*\d+ Z/.test(line));
}

async function isGone(marker: string): Promise<boolean> {
	for (let turn = 0; turn < 100 && findProcesses(marker).length > 0; turn++) await delay(20);
	return findProcesses(marker).length === 0;
}

const abortWhenReady =
	(kind: "cancel" | "timeout"): NonNullable<RemoteRun["during"]> =>
	async (context) => {
		await context.waitFor("stdout", "ready\n");
		context.abort(kind);
	};

const stubborn: Readonly<Record<string, (marker: string) => string>> = {
	"ignores TERM": (marker) => `trap '' TERM; echo ready; sleep ${marker} & while :; do sleep ${marker}; done`,
	"has left its group": (marker) => `setsid sleep ${marker} & echo ready; sleep ${marker}`,
	"forks twice and closes its output": (marker) =>
		`(setsid sh -c 'sleep ${marker} & sleep ${marker}' >/dev/null 2>&1 &); echo ready; sleep ${marker}`,
	"has closed its own output": (marker) => `echo ready; exec >/dev/null 2>&1; sleep ${marker}`,
};

for (const [what, command] of Object.entries(stubborn)) {
	remoteTest(`a time-out ends what ${what}, within the grace and a second, and leaves no process`, async () => {
		const marker = createMarker();
		const { part, seconds } = await run(command(marker), { during: abortWhenReady("timeout") });
		assert.equal(part["return_code"], -9);
		assert.equal(part["stdout"], "ready");
		assert.ok(seconds < 7, `${seconds} seconds`);
		assert.ok(await isGone(marker), findProcesses(marker).join("\n"));
	});
}

remoteTest("a cancel says so and leaves no process", async () => {
	const marker = createMarker();
	const { part, succeeded } = await run(`echo ready; sleep ${marker}`, { during: abortWhenReady("cancel") });
	assert.equal(succeeded, false);
	assert.equal(part["return_code"], 255);
	assert.equal(part["error"], "the command was ended: cancel");
	assert.ok(await isGone(marker));
});

remoteTest("what a command leaves behind with its output is ended soon after it; a service it starts lives on", async () => {
	const [holding, detached] = [createMarker(), createMarker()];
	const { part, seconds } = await run(`sleep ${holding} & setsid sleep ${detached} >/dev/null 2>&1 </dev/null & echo done`);
	assert.deepEqual([part["return_code"], part["stdout"]], [0, "done"]);
	assert.ok(seconds < 5, `${seconds} seconds`);
	assert.ok(await isGone(holding));
	const only = createMarker();
	await run(`setsid sleep ${only} >/dev/null 2>&1 </dev/null & echo done`);
	const left = findProcesses(only);
	assert.equal(left.length, 1);
	for (const line of left) process.kill(Number.parseInt(line, 10), "SIGKILL");
});

remoteTest("a command that closes its output early goes on to its end", async () => {
	const { part } = await run("echo one; exec >&- 2>&-; sleep 0.3; exit 7");
	assert.deepEqual([part["return_code"], part["stdout"]], [7, "one"]);
});

remoteTest("invalid UTF-8, a NUL and a character cut in two come through as text", async () => {
	const { part } = await run("printf 'a\\377b\\000c'; printf '\\303'; sleep 0.2; printf '\\251'");
	assert.equal(part["stdout"], "a\ufffdb\0cé");
});

remoteTest("a line of a megabyte, and many megabytes for a slow reader, arrive whole", async () => {
	const line = await run("head -c 1048576 /dev/zero | tr '\\0' x; echo");
	assert.equal(line.context.text("stdout").length, 1_048_577);
	assert.equal(line.part["stdout"], "x".repeat(1_048_576));
	const onEmit = () => delay(2);
	const much = await run("head -c 8000000 /dev/zero | tr '\\0' y; echo end >&2", { onEmit });
	assert.equal(much.context.text("stdout").length, 8_000_000);
	assert.equal(much.part["stderr"], "end");
});

remoteTest("a lost connection fails the host with 255, and the output stays", async () => {
	const server = await site.startSshd();
	const { part, seconds } = await run("echo ready; sleep 20", {
		runnerParameters: toLogin(site, server),
		async during(context) {
			await context.waitFor("stdout", "ready\n");
			await server.stop();
		},
	});
	assert.deepEqual([part["return_code"], part["stdout"]], [255, "ready"]);
	assert.match(String(part["error"]), /connection was lost/);
	assert.ok(seconds < 5);
});

test.run();
