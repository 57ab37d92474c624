// test-waits
import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { test } from "uvu";
import type { JsonObject, Runner } from "../../core/contract/index.ts";
import { createRunContext, type RunContextOptions, silentLogger } from "../../core/testing/run-context.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { kubernetesJob } from "./index.ts";
import { KubeServer } from "./kube-server.test-support.ts";
import type { KubernetesJobOptions } from "./options.ts";

const server = await KubeServer.start();
test.after(() => server.stop());

interface Parts {
	readonly runner: Runner;
	run(given: RunContextOptions): ReturnType<typeof begin>;
}

async function withRunner(use: (parts: Parts) => Promise<void>, options: KubernetesJobOptions = {}): Promise<void> {
	const runner: Runner = kubernetesJob({ server: server.url, kill_grace: 1, ...options }).create();
	const clock = { now: () => Date.now() * 1_000 };
	await runner.start?.({ logger: silentLogger, clock, dataDirectory: "/tmp", nodeId: "tests", options: createOptions() });
	try {
		await use({ runner, run: (given) => begin(runner, given) });
	} finally {
		await runner.stop?.();
	}
	for (const kind of ["Job", "Secret"])
		assert.deepEqual(
			server.store.list(kind, () => true),
			[],
			`a ${kind} was left`,
		);
}

function begin(runner: Runner, given: RunContextOptions) {
	const context = createRunContext(runner, given);
	return { context, name: `svc-${context.liveaction_id}`, end: runner.run(context).finally(() => runner.afterRun?.(context)) };
}

const command = (cmd: string, more: object = {}): RunContextOptions => ({ runnerParameters: { image: "busybox", cmd, ...more } });

test("a job has its output, its exit code, its node and its times", () =>
	withRunner(async ({ run }) => {
		const { context, name, end } = run(
			command("printf 'caf\\303'; sleep 0.3; printf '\\251 %s\\n' \"$(pwd) \\$(HOME)\"; exit 7", { cwd: "/usr" }),
		);
		const { succeeded, result } = await end;
		assert.equal(succeeded, false);
		const { queued_seconds, run_seconds, ...rest } = result;
		const named = { job: name, namespace: "default", node: "node-1" };
		assert.deepEqual(rest, { succeeded: false, failed: true, ...named, return_code: 7, stdout: "café /usr $(HOME)", stderr: "" });
		assert.ok(Number.isInteger(queued_seconds) && Number.isInteger(run_seconds));
		assert.equal(context.text("other"), `${name} runs on node-1\n`);
	}));

test("values of variables stand in a Secret that goes with the job, and neither in the job nor in its pod", () =>
	withRunner(async ({ run }) => {
		const given = command('echo "$PLAIN $SVC_ACTION_AUTH_TOKEN"; exec sleep 600', { env: { PLAIN: "in clear" } });
		const { context, name, end } = run({ ...given, environment: { SVC_ACTION_AUTH_TOKEN: "t0ken" } });
		await context.waitFor("stdout", "in clear t0ken\n");
		const [job, pod] = [server.store.get("Job", "default", name), server.store.list("Pod", () => true)[0]];
		for (const object of [job, pod]) assert.ok(!/t0ken|in clear/.test(JSON.stringify(object)));
		assert.equal(server.store.get("Secret", "default", name).metadata.ownerReferences[0].uid, job.metadata.uid);
		const { automountServiceAccountToken, containers } = pod.spec;
		assert.deepEqual([automountServiceAccountToken, containers[0].securityContext.capabilities], [false, { drop: ["ALL"] }]);
		context.abort("cancel");
		await end;
		assert.deepEqual(
			server.store.list("Pod", () => true),
			[],
		);
	}));

test("a script of a pack has its arguments and its secrets", () =>
	withRunner(async ({ run }) => {
		const directory = await mkdtemp(join(tmpdir(), "svc-pack-"));
		await writeFile(join(directory, "hello.sh"), '#!/bin/sh\necho "$1 $SVC_ARG_PIN"\n');
		const schema = { who: { type: "string" }, pin: { type: "string", secret: true } } as const;
		const parameters = {
			entryPoint: join(directory, "hello.sh"),
			actionParameters: { who: "$(SVC_ARG_PIN) $$", pin: "1234" },
			actionSchema: schema,
		};
		const { result } = await run({ ...parameters, runnerParameters: { image: "busybox" } }).end;
		assert.equal(result["stdout"], "--who=$(SVC_ARG_PIN) $$ 1234");
		await rm(directory, { recursive: true });
	}));

test("why a pod waits is told, and it is not given up", () =>
	withRunner(async ({ run }) => {
		const missing = run(command("true", { image: "missing:1" }));
		const nowhere = run(command("true", { node_selector: { disk: "ssd" } }));
		await missing.context.waitFor("other", "waits, ImagePullBackOff: Back-off pulling image");
		await nowhere.context.waitFor("other", "waits, Unschedulable: 0/1 nodes are available");
		for (const { context, end } of [missing, nowhere]) {
			context.abort("cancel");
			assert.equal((await end).succeeded, false);
		}
	}));

test("who has missed too much lists again", () =>
	withRunner(async ({ run }) => {
		server.controller.hold();
		const { context, end } = run(command("echo on"));
		await context.waitFor("other", "Unschedulable");
		const listings = () => server.requests.filter((line) => line.endsWith("/pods")).length;
		const before = listings();
		server.compact();
		server.controller.release();
		assert.equal((await end).result["stdout"], "on");
		assert.ok(listings() > before);
	}));

test("many runs share two watches", () =>
	withRunner(async ({ run }) => {
		const before = server.requests.length;
		await Promise.all(Array.from({ length: 10 }, (_, index) => run(command(`echo ${index}`)).end));
		assert.ok(server.requests.slice(before).filter((line) => line.endsWith("?watch")).length <= 4);
	}));

test("a job of the same name that is somebody else's is not taken", () =>
	withRunner(async ({ runner }) => {
		const context = createRunContext(runner, command("true"));
		const metadata = { name: `svc-${context.liveaction_id}`, namespace: "default" };
		const other = server.store.add({ kind: "Job", metadata, spec: {} });
		await assert.rejects(runner.run(context), /that does not belong to this execution/);
		assert.equal(server.store.get("Job", "default", metadata.name), other);
		await runner.afterRun?.(context);
	}));

test("a time limit is the cluster's to hold, and the execution ends as timeout", () =>
	withRunner(async ({ run }) => {
		const { result, status } = await run(command("exec sleep 600", { time_limit: 1 })).end;
		assert.equal(status, "timeout");
		assert.match(String(result["error"]), /it exceeded its time limit/);
	}));

test("a job that is made, not heard of and deleted by somebody does not run, and the one in its place runs once", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-kube-"));
	const ledger = join(directory, "begun");
	const readBegun = () => readFile(ledger, "utf8").catch(() => "");
	try {
		await withRunner(async ({ run }) => {
			server.loseNextAnswer();
			const { name, end } = run(command(`echo begun >> ${ledger}; sleep 2`));
			const find = () => server.store.get("Job", "default", name);
			while (find() === undefined || (find().spec.suspend !== true && (await readBegun()) === "")) await delay(10);
			server.controller.removeJob(find(), "Background");
			// Where the machine was slow it was the one that had been heard of.
			const { succeeded } = await end;
			const begun = await readBegun();
			assert.ok(begun === "begun\n" || (begun === "" && !succeeded), JSON.stringify([succeeded, begun]));
		});
	} finally {
		await rm(directory, { recursive: true });
	}
});

test("a job that somebody has suspended stays so when the service is restarted, whether its id was stored or not", () =>
	withRunner(async ({ runner }) => {
		const given = command("echo ready; exec sleep 600");
		const before = createRunContext(runner, given);
		const name = `svc-${before.liveaction_id}`;
		const find = () => server.store.get("Job", "default", name);
		const first = runner.run(before);
		await before.waitFor("stdout", "ready\n");
		before.abort("shutdown");
		assert.equal((await first).status, "running");
		server.store.change(find(), ({ spec }) => void (spec.suspend = true));
		const { uid, ...place } = before.savedState() ?? {};
		for (const state of [{ uid, ...place }, place] as const) {
			const context = createRunContext(runner, { ...given, after: before });
			const again = runner.recover?.(context, state as JsonObject);
			const isTold = () => context.text("other").includes(`${name} is suspended in the cluster\n`);
			while (find().spec.suspend === true && !isTold()) await delay(10);
			assert.ok(isTold());
			const isLast = !("uid" in state);
			context.abort(isLast ? "cancel" : "shutdown");
			assert.equal((await again)?.succeeded, false);
			if (isLast) await runner.afterRun?.(context);
		}
	}));

test("a job that has ended well, and whose pod is gone before its output was read, is no success", () =>
	withRunner(async ({ run }) => {
		const { context, name, end } = run(command("echo first; sleep 1; echo last"));
		await context.waitFor("stdout", "first\n");
		server.cut();
		while (server.store.get("Job", "default", name).status?.conditions === undefined) await delay(20);
		for (const pod of server.store.list("Pod", () => true)) server.store.remove(pod);
		server.mend();
		const { succeeded, result } = await end;
		assert.deepEqual([succeeded, result["stdout"]], [false, "first"]);
		assert.match(String(result["error"]), /its pod was deleted before all of its output was read/);
	}));

test("what the cluster refuses fails with its words", () =>
	withRunner(async ({ runner }) => {
		const closed: Runner = kubernetesJob({ server: `${server.url}/closed`, namespace: "other" }).create();
		await assert.rejects(async () => closed.run(createRunContext(closed, command("true"))), /was not started/);
		await assert.rejects(
			runner.run(createRunContext(runner, command("true", { namespace: "kube-system" }))),
			/"namespace" "kube-system" is not allowed/,
		);
	}));

test("output goes on without gap and repeat where the kubelet has begun another file, and the answer ends", () =>
	withRunner(async ({ run }) => {
		const directory = await mkdtemp(join(tmpdir(), "svc-rotation-"));
		const steps = ["a", "b", "c", "d"].map((name) => join(directory, name));
		// Lines are alike, so that only the time tells which is which.
		const waits = steps.map((file) => `while [ ! -e ${file} ]; do sleep 0.02; done; echo tick; echo tick`).join("; ");
		const { context, end } = run(command(`echo tick; ${waits}`));
		const printed = (count: number) => context.waitFor("stdout", "tick\n".repeat(count));
		const step = async (index: number) => {
			await writeFile(steps[index] ?? "", "");
			await printed(3 + 2 * index);
		};
		await printed(1);
		await step(0);
		// The answer goes on with the next file, and is cut there; then it begins in the midst of what is known.
		server.controller.rotateLogs();
		await step(1);
		server.cut();
		server.mend();
		await step(2);
		// It is cut, and all of the next file is new.
		server.cut();
		server.controller.rotateLogs();
		server.mend();
		await writeFile(steps[3] ?? "", "");
		assert.equal((await end).succeeded, true);
		assert.equal(context.text("stdout"), "tick\n".repeat(9));
		await rm(directory, { recursive: true });
	}));

requires(test, { command: "kubectl" }).test("kubectl sees the jobs, reads their logs and takes one away", () =>
	withRunner(async ({ run }) => {
		const home = await mkdtemp(join(tmpdir(), "svc-kubectl-"));
		const kubectl = async (...args: readonly string[]) =>
			(await promisify(execFile)("kubectl", ["--server", server.url, ...args], { env: { PATH: process.env["PATH"], HOME: home } })).stdout;
		const { context, name, end } = run(command("echo ready; exec sleep 600"));
		await context.waitFor("stdout", "ready\n");
		assert.match(await kubectl("get", "jobs", "--output=name"), new RegExp(`job.*/${name}`));
		assert.equal(
			await kubectl("get", "jobs", "-l", `svc-automation/execution=${context.execution_id}`, "-o", "jsonpath={.items[0].metadata.name}"),
			name,
		);
		assert.equal(await kubectl("logs", `job/${name}`), "ready\n");
		await kubectl("delete", "job", name);
		const { succeeded, status, result } = await end;
		assert.deepEqual([succeeded, status], [false, undefined]);
		assert.match(String(result["error"]), /it was deleted by another client/);
		await rm(home, { recursive: true });
	}),
);

test("a command that ends by TERM because somebody deletes its pod says so", () =>
	withRunner(async ({ run }) => {
		const { context, end } = run(command("echo ready; exec sleep 600"));
		await context.waitFor("stdout", "ready\n");
		const [pod] = server.store.list("Pod", () => true);
		assert.ok(pod !== undefined);
		server.controller.removePod(pod);
		const { succeeded, result } = await end;
		assert.deepEqual([succeeded, result["return_code"]], [false, 143]);
		assert.match(String(result["error"]), /^job \S+: its pod was deleted by another client$/);
	}));

test.run();
