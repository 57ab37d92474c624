import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { test } from "uvu";
import type { Runner, RunResult } from "../../core/contract/index.ts";
import { createRunContext, silentLogger, type TestRunContext } from "../../core/testing/run-context.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { ExchangePlayer } from "./exchange-player.test-support.ts";
import { kubernetesJob } from "./index.ts";
import { KubeClient } from "./kube-client.ts";
import { NamespaceWatch } from "./namespace-watch.ts";

const player = await ExchangePlayer.start();
test.after(() => player.stop());

const ids = { execution_id: "65f0c0ffee00000000000001", liveaction_id: "65f0c0ffee00000000000002", chunks: [] };
const job = "svc-65f0c0ffee00000000000002";

/** Run the action of a recording against it: everything that it has is asked for, and nothing else. */
async function play(name: string, during: (context: TestRunContext) => Promise<void> = async () => {}) {
	player.load(name);
	const runner: Runner = kubernetesJob({ server: player.url, namespace: "actions" }).create();
	const clock = { now: () => Date.now() * 1_000 };
	await runner.start?.({ logger: silentLogger, clock, dataDirectory: "/tmp", nodeId: "tests", options: createOptions() });
	try {
		const context = createRunContext(runner, { after: ids, runnerParameters: { image: "busybox:1.36", cmd: "true" } });
		const running = runner.run(context).catch((error: Error) => error);
		await during(context);
		const end = await running;
		await runner.afterRun?.(context);
		return { context, end };
	} finally {
		await runner.stop?.();
		assert.deepEqual(player.unexpected, []);
		assert.deepEqual(player.missing, []);
	}
}

test("a watch goes on from its bookmark, one that is cut lists again, and a log that is cut has no gap and no repeat", async () => {
	const { context, end } = await play("succeeds");
	const { succeeded, result } = end as RunResult;
	assert.equal(succeeded, true);
	const named = { job, namespace: "actions", node: "worker-7" };
	const times = { queued_seconds: 7, run_seconds: 5 };
	const output = { stdout: "line 1\nline 2\nline 3", stderr: "" };
	assert.deepEqual(result, { succeeded: true, failed: false, ...named, return_code: 0, ...times, ...output });
	assert.equal(context.text("other"), `${job} runs on worker-7\n`);
});

test("changes that the server has forgotten are listed, and a job whose time is over ends when its pod has", async () => {
	const { context, end } = await play("deadline");
	const { status, result } = end as RunResult;
	assert.equal(status, "timeout");
	assert.equal(result["error"], `job ${job}: it exceeded its time limit`);
	assert.equal(result["return_code"], 143);
	assert.equal(context.text("stdout"), "works\nlast words\n");
});

test("a container that took too much memory, and a pod that its node has evicted, fail with the reason", async () => {
	const { end: starved } = await play("out-of-memory");
	const { succeeded, status, result } = starved as RunResult;
	assert.deepEqual([succeeded, status, result["return_code"], result["stdout"]], [false, undefined, 137, "takes memory"]);
	assert.equal(result["error"], `job ${job}: OOMKilled`);
	const { end: evicted } = await play("evicted");
	assert.equal((evicted as RunResult).result["error"], `job ${job}: Evicted: The node was low on resource: ephemeral-storage. `);
	assert.equal((evicted as RunResult).result["return_code"], -1);
});

test("an image that cannot be pulled is told of, and a cancel takes the job away with its pod", async () => {
	const { context, end } = await play("no-image", async (running) => {
		await running.waitFor("other", "waits, ErrImagePull");
		player.mark("told");
		await running.waitFor("other", "waits, ImagePullBackOff");
		running.abort("cancel");
	});
	assert.equal((end as RunResult).succeeded, false);
	assert.equal(
		context.text("other"),
		`${job} waits, ErrImagePull: failed to pull and unpack image "docker.io/library/busybox:1.36": not found\n` +
			`${job} waits, ImagePullBackOff: Back-off pulling image "busybox:1.36"\n`,
	);
});

test("a job that was made before is followed, and not made again", async () => {
	const { result } = (await play("made-before")).end as RunResult;
	assert.deepEqual([result["return_code"], result["stdout"], result["error"]], [3, "once", undefined]);
});

test("what the account may not do fails at once with the server's words", async () => {
	const { end } = await play("forbidden");
	assert.match(String(end), /the cluster refuses it: jobs\.batch is forbidden: User "system:serviceaccount:actions:svc" cannot create/);
});

requires(test, { command: "kubectl" }).test("kubectl reads the same jobs, pods and logs, and deletes a job", async () => {
	const home = await mkdtemp(join(tmpdir(), "svc-kubectl-"));
	player.load("kubectl");
	const kubectl = async (...words: readonly string[]) => {
		const given = ["--server", player.url, "--namespace", "actions", ...words];
		const options = { env: { PATH: process.env["PATH"], HOME: home }, timeout: 60_000 };
		return (await promisify(execFile)("kubectl", given, options)).stdout;
	};
	const condition = '{.items[*].metadata.name} {.items[*].status.conditions[?(@.type=="Complete")].reason}';
	const selected = await kubectl("get", "jobs", "-l", `svc-automation/execution=${ids.execution_id}`, "-o", `jsonpath=${condition}`);
	assert.equal(selected, `${job} CompletionsReached`);
	const states = '{.items[*].status.containerStatuses[?(@.name=="action")].state.terminated.exitCode} {.items[*].spec.nodeName}';
	assert.equal(await kubectl("get", "pods", "-l", `batch.kubernetes.io/job-name=${job}`, "-o", `jsonpath=${states}`), "0 worker-7");
	const described = await kubectl("describe", "job", job);
	assert.match(described, /Duration:\s+12s\n/);
	assert.match(described, /Pods Statuses:\s+0 (Active|Running)[^/]*\/ 1 Succeeded \/ 0 Failed/);
	assert.equal(await kubectl("logs", `job/${job}`, "-c", "action"), "line 1\nline 2\nline 3\n");
	assert.match(await kubectl("delete", "job", job), /deleted/);
	assert.deepEqual(player.unexpected, []);
	assert.deepEqual(player.missing, []);
	await rm(home, { recursive: true });
});

test("a server that ends its answers at once is not asked without a pause", async () => {
	player.load("hasty");
	const client = new KubeClient({ server: player.url });
	const watch = new NamespaceWatch({ client, logger: silentLogger, namespace: "actions", installation: "svc" });
	await delay(600);
	await watch.stop();
	client.stop();
	assert.ok(player.asked >= 4 && player.asked <= 14, `${player.asked} requests`);
});

test.run();
