import * as assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "uvu";
import type { JsonObject, OptionsInput } from "../../core/contract/index.ts";
import { createRunContext } from "../../core/testing/run-context.ts";
import { withRunner } from "../../core/testing/runner/started-runner.ts";
import { remoteCommand } from "../remote-command/index.ts";
import { openSite, type RemoteRun, type RunnerParameters, runRemote, runRemotes, toLogin, toOptions } from "./remote-run.test-support.ts";
import { type Sshd, sshdTest } from "./sshd.test-support.ts";

// test-timeout: 90
const { site, sshd: first } = await openSite(test);
const remoteTest = sshdTest(test);
let second = first;
let third = first;
remoteTest("three servers are started", async () => {
	[second, third] = await Promise.all([site.startSshd(), site.startSshd()]);
});

const plugin = remoteCommand();
const keyOf = ({ port }: Pick<Sshd, "port">) => `127.0.0.1:${port}`;
const run = (parameters: RunnerParameters, ssh_runner: NonNullable<OptionsInput["ssh_runner"]> = {}, more: Partial<RemoteRun> = {}) =>
	runRemote({
		plugin,
		options: toOptions(site, { ssh_runner }),
		...more,
		runnerParameters: { ...toLogin(site, first, second, third), ...parameters },
	});

remoteTest("each host has its own entry, and all must succeed", async () => {
	const { result, succeeded } = await run({
		cmd: 'set -- $SSH_CONNECTION; echo "$4"; exit $(($4 == $BAD ? 4 : 0))',
		env: { BAD: second.port },
	});
	assert.equal(succeeded, false);
	assert.deepEqual(Object.keys(result), [first, second, third].map(keyOf));
	const parts = Object.values(result) as JsonObject[];
	assert.deepEqual(
		parts.map((part) => [part["stdout"], part["return_code"]]),
		[
			[String(first.port), 0],
			[String(second.port), 4],
			[String(third.port), 0],
		],
	);
});

remoteTest("an unreachable host fails alone and says why; with allow_partial_failure the rest is enough", async () => {
	const dead = { port: await site.findDeadPort() };
	const parameters = { ...toLogin(site, first, dead), cmd: "echo here" };
	const { result, succeeded } = await run(parameters);
	assert.equal(succeeded, false);
	assert.equal((result[keyOf(first)] as JsonObject)["stdout"], "here");
	const { error, ...part } = result[keyOf(dead)] as JsonObject;
	assert.deepEqual(part, { failed: true, succeeded: false, return_code: 255, stdout: "", stderr: "", timeout: false });
	assert.match(String(error), new RegExp(`host "${keyOf(dead)}" .*ECONNREFUSED`));
	assert.equal((await run(parameters, { allow_partial_failure: true })).succeeded, true);
	await assert.rejects(run({ ...toLogin(site, dead), cmd: "true" }), /no host could be reached: host "127\.0\.0\.1"/);
});

remoteTest("a host that does not answer is given up after ssh_connect_timeout", async () => {
	const silent = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
	await once(silent, "listening");
	const { port } = silent.address() as { readonly port: number };
	const running = run({ ...toLogin(site, { port }), cmd: "true" }, { ssh_connect_timeout: 0.3 });
	await assert.rejects(running, /not connected within 0\.3 seconds/);
	silent.close();
	await once(silent, "close");
});

remoteTest("of several hosts whole lines go to the channel other, with the host's name in front", async () => {
	const { context, result } = await run({ cmd: "printf 'one '; sleep 0.2; echo half; printf rest; echo bad >&2" });
	assert.equal(context.text("stdout") + context.text("stderr"), "");
	const lines = context
		.text("other")
		.split("\n")
		.filter((line) => line !== "");
	for (const server of [first, second, third])
		assert.deepEqual(
			lines.filter((line) => line.startsWith(keyOf(server))).sort(),
			["bad", "one half", "rest"].map((text) => `${keyOf(server)}: ${text}`),
		);
	assert.equal((result[keyOf(third)] as JsonObject)["stdout"], "one half\nrest");
});

remoteTest("hosts work side by side, or one after the other", async () => {
	const measure = async (parameters: RunnerParameters, options = {}) => {
		const { result } = await run({ cmd: "date +%s%N; sleep 0.3; date +%s%N", ...parameters }, options);
		return Object.values(result).map(
			(part) =>
				String((part as JsonObject)["stdout"])
					.split("\n")
					.map(Number) as [number, number],
		);
	};
	const overlaps = (spans: readonly [number, number][]) =>
		spans.some(([begin], index) => spans.slice(0, index).some(([, end]) => begin < end));
	assert.equal(overlaps(await measure({ parallel: false })), false);
	assert.equal(overlaps(await measure({}, { max_parallel_actions: 1 })), false);
	assert.equal(overlaps(await measure({})), true);
});

remoteTest("a time-out ends every host, and those that had not begun", async () => {
	const { result, succeeded } = await run(
		{ cmd: "echo ready; sleep 600", parallel: false },
		{},
		{
			async during(context) {
				await context.waitFor("other", "ready\n");
				context.abort("timeout");
			},
		},
	);
	assert.equal(succeeded, false);
	const codes = Object.values(result).map((part) => [(part as JsonObject)["return_code"], (part as JsonObject)["timeout"]]);
	assert.deepEqual(codes, [
		[-9, true],
		[-9, true],
		[-9, true],
	]);
});

const countSignIns = (server: Sshd) => server.log().split("Accepted publickey").length - 1;

remoteTest("a connection is used again by the next execution with the same identity, and by no other", async () => {
	const server = await site.startSshd();
	const runnerParameters = { ...toLogin(site, server), cmd: "true" };
	const options = toOptions(site);
	const other = await site.createKey("other", "-t", "ed25519", "-N", "");
	const runs = [runnerParameters, runnerParameters, { ...runnerParameters, private_key: other }].map((each) => ({
		plugin,
		options,
		runnerParameters: each,
	}));
	await assert.rejects(runRemotes(runs), /sign-in refused/);
	assert.equal(countSignIns(server), 1);
});

remoteTest("with an idle time-out of 0 it is closed at once; a dead one is replaced", async () => {
	const server = await site.startSshd();
	const one = { plugin, runnerParameters: { ...toLogin(site, server), cmd: "true" } };
	await runRemotes([1, 2].map(() => ({ ...one, options: toOptions(site, { ssh_runner: { connection_idle_timeout: 0 } }) })));
	assert.equal(countSignIns(server), 2);
	let again = server;
	const restart = async () => {
		await server.stop();
		again = await site.startSshd({ port: server.port });
	};
	const options = toOptions(site, { ssh_runner: { host_key_check: "off" } });
	const ends = await runRemotes([
		{ ...one, options },
		{ ...one, options, before: restart },
	]);
	assert.ok(ends.every(({ succeeded }) => succeeded));
	assert.equal(countSignIns(again), 1);
});

remoteTest("more runs than a connection carries get further ones; a server that allows fewer is respected", async () => {
	const server = await site.startSshd({ configuration: ["MaxSessions 2"] });
	await withRunner(
		plugin.create(),
		async (runner) => {
			const runnerParameters = { ...toLogin(site, server), cmd: "sleep 0.2" };
			const ends = await Promise.all(Array.from({ length: 9 }, () => runner.run(createRunContext(runner, { runnerParameters }))));
			assert.ok(
				ends.every(({ succeeded }) => succeeded),
				JSON.stringify(ends),
			);
		},
		{ nodeId: "many", options: toOptions(site) },
	);
});

test.run();
