// test-waits
// test-timeout: 240
// test-suite: full
import * as assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import type { JsonObject, Runner } from "../../core/contract/index.ts";
import { createRunContext, type RunContextOptions, silentLogger } from "../../core/testing/run-context.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { slurm } from "./index.ts";
import type { SlurmOptions } from "./options.ts";
import { type Slurm, slurmTest, startSlurmIfThere } from "./slurm.test-support.ts";
import { SlurmCommands } from "./slurm-commands.ts";
import { machine } from "./slurm-configuration.test-support.ts";

const onSlurm = slurmTest(test);
const cluster = await startSlurmIfThere({ accounting: true });
test.after(async () => cluster?.stop());

/** Use a runner that is started on the cluster; nothing of it must be left. */
async function withSlurm(
	use: (parts: { cluster: Slurm; runner: Runner; run: ReturnType<typeof createRun> }) => Promise<void>,
	options: Partial<SlurmOptions> = {},
) {
	assert.ok(cluster !== undefined);
	const runner: Runner = slurm({ directory: cluster.directory, slurm_conf: cluster.conf, ...options }).create();
	const clock = { now: () => Date.now() * 1_000 };
	await runner.start?.({ logger: silentLogger, clock, dataDirectory: "/tmp", nodeId: "tests", options: createOptions() });
	try {
		await use({ cluster, runner, run: createRun(runner) });
	} finally {
		await runner.stop?.();
	}
	assert.deepEqual(await readdir(cluster.directory), []);
}

function createRun(runner: Runner) {
	return (given: RunContextOptions) => {
		const context = createRunContext(runner, given);
		const end = runner.run(context).finally(() => runner.afterRun?.(context));
		return { context, end };
	};
}

/** Output of type `other` once it has a word. */
async function seeing(context: ReturnType<typeof createRunContext>, word: string): Promise<string> {
	await context.waitFor("other", word);
	return context.text("other");
}

const command = (cmd: string, more: object = {}): RunContextOptions => ({ runnerParameters: { cmd, ...more } });

onSlurm("a run whose service is killed before anything is submitted begins anew, and leaves nothing", () =>
	withSlurm(async ({ runner }) => {
		const given = command("echo once");
		const context = createRunContext(runner, given);
		const saved: JsonObject[] = [];
		const dying = {
			...context,
			async saveState(state: JsonObject) {
				if (state["attempt"] !== undefined) throw new Error("killed");
				saved.push(state);
			},
		};
		await assert.rejects(runner.run(dying), /killed/);
		assert.equal(saved.length, 1, "it is found again");
		const again = createRunContext(runner, { ...given, after: context });
		assert.equal((await runner.recover?.(again, saved[0] ?? {}))?.succeeded, true);
		assert.equal(again.text("stdout"), "once\n");
		await runner.afterRun?.(again);
	}),
);

onSlurm("a job has its output apart, its exit code, where it ran and how long it waited", () =>
	withSlurm(async ({ run }) => {
		const { context, end } = run(command('echo "out é"; echo err >&2; pwd >&2; exit 7', { cwd: "/usr" }));
		const { succeeded, result } = await end;
		assert.equal(succeeded, false);
		const { job_id, nodes, queued_seconds, run_seconds, ...rest } = result;
		assert.deepEqual(rest, { succeeded: false, failed: true, state: "FAILED", return_code: 7, stdout: "out é", stderr: "err\n/usr" });
		assert.match(String(job_id), /^\d+$/);
		assert.notEqual(nodes, "");
		assert.ok(Number.isInteger(queued_seconds) && Number.isInteger(run_seconds));
		assert.match(context.text("other"), /^job \d+ runs on \S+ after \d+ s\n$/m);
	}),
);

onSlurm("many runs ask Slurm together", () =>
	withSlurm(async ({ run }) => {
		const runs = Array.from({ length: 12 }, (_, index) => run(command(`echo ${index}`)));
		const ends = await Promise.all(runs.map(({ end }) => end));
		assert.deepEqual(
			ends.map(({ result: { error, state, stdout } }) => ({ error, state, stdout })),
			runs.map((_, index) => ({ error: undefined, state: "COMPLETED", stdout: String(index) })),
		);
	}),
);

onSlurm("an array runs once for each item, its output comes in the order of the items, and its results are a list", () =>
	withSlurm(async ({ run }) => {
		const cmd = 'if [ "$SVC_ITEM_INDEX" = 0 ]; then sleep 1; fi; echo "$SVC_ITEM_INDEX $SVC_ITEM"; [ "$SVC_ITEM" != "b c" ]';
		const { end } = run(command(cmd, { array: ["a'", "b c", { d: [1] }] }));
		const { succeeded, result } = await end;
		assert.equal(succeeded, false);
		assert.equal(result["stdout"], `0 a'\n1 b c\n2 {"d":[1]}`);
		const tasks = result["tasks"] as { index: number; succeeded: boolean; return_code: number; stdout: string }[];
		assert.deepEqual(
			tasks.map(({ index, succeeded, return_code, stdout }) => [index, succeeded, return_code, stdout]),
			[
				[0, true, 0, "0 a'"],
				[1, false, 1, "1 b c"],
				[2, true, 0, '2 {"d":[1]}'],
			],
		);
	}),
);

onSlurm("a script has its arguments, its library beside it and its secrets, which Slurm does not know", () =>
	withSlurm(async ({ cluster, run }) => {
		const pack = join(cluster.directory, "../pack");
		await mkdir(join(pack, "lib"), { recursive: true });
		await writeFile(join(pack, "hello.sh"), '#!/bin/sh\n. ./lib/words.sh\necho "$word $1 $2 $SVC_ARG_PIN $directory$task"\nsleep 1\n');
		await writeFile(join(pack, "lib/words.sh"), "word=hello\n");
		const { context, end } = run({
			entryPoint: join(pack, "hello.sh"),
			actionParameters: { who: "it's $(me)", pin: "s3cret-pin" },
			actionSchema: { who: { type: "string" }, pin: { type: "string", secret: true } },
			runnerParameters: { env: { directory: "/nowhere", task: "9" } },
			environment: { SVC_ACTION_AUTH_TOKEN: "t0ken" },
		});
		await context.waitFor("stdout", "hello");
		const [id = ""] = /\d+/.exec(context.text("other")) ?? [(await cluster.jobs())[0] ?? ""];
		const shown = (await cluster.ask("scontrol", "show", "job", id)) + (await cluster.ask("scontrol", "write", "batch_script", id, "-"));
		assert.ok(shown.includes(`JobName=${context.execution_id}`), shown);
		for (const secret of ["s3cret-pin", "t0ken", "hello"]) assert.ok(!shown.includes(secret), shown);
		const { result } = await end;
		assert.equal(result["stdout"], "hello --who=it's $(me)  s3cret-pin /nowhere9");
	}),
);

onSlurm("what Slurm refuses fails at once with Slurm's words, and leaves nothing", () =>
	withSlurm(async ({ run }) => {
		await assert.rejects(run(command("true", { partition: "nowhere" })).end, /invalid partition/i);
	}),
);

onSlurm("a job that waits says why, and its end by somebody else is told with the reason", () =>
	withSlurm(async ({ cluster, run }) => {
		await cluster.ask("scontrol", "update", "PartitionName=other", "State=DOWN");
		const { context, end } = run(command("true", { partition: "other" }));
		await context.waitFor("other", "waits, PartitionDown\n");
		await cluster.ask("scancel", `--name=${context.execution_id}`);
		const { result, status } = await end;
		assert.equal(status, undefined);
		assert.match(String(result["error"]), /^job \d+: it was canceled in Slurm by another client/);
	}),
);

onSlurm("a job that Slurm has forgotten ends as its exit code says, and without one as lost", () =>
	withSlurm(async ({ cluster, runner }) => {
		const given = command("echo one; exit 4");
		const context = createRunContext(runner, given);
		await runner.run(context);
		const again = async () => runner.recover?.(createRunContext(runner, { ...given, after: context }), { attempt: 1, job_id: "999999" });
		const told = await again();
		assert.deepEqual([told?.result["return_code"], told?.result["stdout"]], [4, "one"]);
		await rm(join(cluster.directory, context.liveaction_id, "status.0"));
		const lost = await again();
		assert.equal(lost?.succeeded, false);
		assert.match(String(lost?.result["error"]), /Slurm no longer knows it/);
		await runner.afterRun?.(context);
	}),
);

onSlurm("a job that turns up after the run was given up does not begin", () =>
	withSlurm(async ({ cluster, runner }) => {
		const context = createRunContext(runner, command("echo twice"));
		await runner.run(context);
		const directory = join(cluster.directory, context.liveaction_id);
		const script = join(cluster.directory, "../late.sh");
		await writeFile(script, `#!/bin/sh\nexec /bin/sh ${directory}/start 1\n`);
		const submit = ["--parsable", "--wait", `--output=${directory}/stdout`, "--open-mode=append"];
		// The claim of the first job is in its way, as one that the service has written would be.
		await cluster.ask("sbatch", ...submit, script);
		assert.equal(await readFile(join(directory, "stdout"), "utf8"), "twice\n");
		await runner.afterRun?.(context);
	}),
);

onSlurm("TERM comes first, and KILL after the grace", () =>
	withSlurm(
		async ({ cluster, run }) => {
			const polite = run(command("trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.1; done"));
			const stubborn = run(command("trap '' TERM; echo ready; while :; do sleep 0.1; done"));
			await Promise.all([polite, stubborn].map(({ context }) => context.waitFor("stdout", "ready\n")));
			for (const { context } of [polite, stubborn]) context.abort("timeout");
			assert.equal((await polite.end).result["stdout"], "ready\nbye");
			assert.equal((await stubborn.end).succeeded, false);
			assert.deepEqual(await cluster.jobs(), []);
		},
		{ kill_grace: 2 },
	),
);

onSlurm("what Slurm does to jobs is told with its reason: limits of time and memory, a cancel, a suspension, a node that fails", () =>
	withSlurm(async ({ cluster, run }) => {
		const begin = async (cmd: string, more: object = {}) => {
			const begun = run(command(`echo ready; ${cmd}`, more));
			await begun.context.waitFor("stdout", "ready\n");
			const [, id = ""] = /job (\d+) runs/.exec(await seeing(begun.context, " runs on ")) ?? [];
			return { ...begun, id };
		};
		// Slurm looks at the limits every half minute: the others come to their ends meanwhile.
		const late = await begin("exec sleep 600", { time_limit: 60 });
		await cluster.ask("scontrol", "update", `JobId=${late.id}`, "EndTime=now+1");
		const greedy = run(command("exec python3 -c 'import time; x = bytearray(400_000_000); time.sleep(600)'", { memory: "50M" }));
		const taken = await begin("exec sleep 600");
		await cluster.ask("scancel", taken.id);
		assert.match(String((await taken.end).result["error"]), /^job \d+: it was canceled in Slurm by another client/);
		const array = await begin('[ "$SVC_ITEM_INDEX" = 0 ] && exit 0; exec sleep 600', { array: 2 });
		await cluster.ask("scancel", `${array.id}_1`);
		const tasks = (await array.end).result["tasks"] as { state: string; succeeded: boolean }[];
		assert.deepEqual(
			tasks.map(({ state, succeeded }) => [state, succeeded]),
			[
				["COMPLETED", true],
				["CANCELLED", false],
			],
		);
		const { result } = await greedy.end;
		assert.deepEqual([result["state"], result["return_code"]], ["FAILED", -9]);
		assert.match(String(result["error"]), /Slurm could not start it or ended it \(JobLaunchFailure\)/);
		assert.match(String(result["stderr"]), /Exceeded job memory limit/);
		const end = await late.end;
		assert.deepEqual([end.status, end.result["state"]], ["timeout", "TIMEOUT"]);
		assert.match(String(end.result["error"]), /^job \d+: it exceeded its time limit \(TimeLimit\)$/);
		const lost = await begin("exec sleep 600");
		await cluster.ask("scontrol", "update", `NodeName=${machine}`, "State=DOWN", "Reason=tests");
		assert.match(String((await lost.end).result["error"]), /^job \d+: its Slurm node failed \(NodeDown\)$/);
		await cluster.isIdle();
	}),
);

onSlurm("a job that was suspended by hand is not given up", () =>
	withSlurm(async ({ cluster, run }) => {
		const { context, end } = run(command("echo ready; sleep 2; echo done"));
		await context.waitFor("stdout", "ready\n");
		const [, id = ""] = /job (\d+) runs/.exec(await seeing(context, " runs on ")) ?? [];
		await cluster.ask("scontrol", "suspend", id);
		await cluster.ask("scontrol", "resume", id);
		assert.equal((await end).result["stdout"], "ready\ndone");
	}),
);

onSlurm("a job that has another one's number is not taken for the run's, and not ended for it", () =>
	withSlurm(async ({ cluster, run, runner }) => {
		const other = run(command("echo ready; while [ ! -e ../go ]; do sleep 0.1; done"));
		await other.context.waitFor("stdout", "ready\n");
		const given = command("exec sleep 600");
		const mine = createRunContext(runner, given);
		await mkdir(join(cluster.directory, mine.liveaction_id));
		await writeFile(join(cluster.directory, mine.liveaction_id, "start"), "");
		const [, job_id = ""] = /job (\d+) runs/.exec(await seeing(other.context, " runs on ")) ?? [];
		const told = await runner.recover?.(createRunContext(runner, { ...given, after: mine }), { attempt: 1, job_id });
		assert.match(String(told?.result["error"]), /Slurm no longer knows it/);
		await new SlurmCommands({ directory: cluster.directory, slurm_conf: cluster.conf }).cancel([`--name=${mine.execution_id}`, job_id]);
		await writeFile(join(cluster.directory, other.context.liveaction_id, "go"), "");
		assert.equal((await other.end).succeeded, true);
		await runner.afterRun?.(mine);
	}),
);

// The last: numbers begin anew then, and a job that gets the number of one that is forgotten may be ended for it.
onSlurm("what the controller has lost is known by the accounting, which is waited for", () =>
	withSlurm(async ({ cluster, run, runner }) => {
		const commands = new SlurmCommands({ directory: cluster.directory, slurm_conf: cluster.conf });
		const ended = createRunContext(runner, command("echo one; exit 4", { array: 1 }));
		const { result } = await runner.run(ended);
		const going = run(command("echo ready; exec sleep 600"));
		await going.context.waitFor("stdout", "ready\n");
		const [, goingId = ""] = /job (\d+) runs/.exec(await seeing(going.context, " runs on ")) ?? [];
		const recorded = async () => (await commands.findEnded(String(result["job_id"]), ended.execution_id))[0];
		const stateOfGoing = async () => (await commands.findEnded(goingId, going.context.execution_id))[0]?.state;
		while ((await recorded())?.state !== "FAILED") await delay(100);
		// A controller that is killed has told the accounting nothing of what it had only put aside for it.
		while ((await stateOfGoing()) !== "RUNNING") await delay(100);
		// The controller needs it to start.
		cluster.proxy.cut();
		await cluster.forget();
		while ((await stateOfGoing()) !== "CANCELLED") await delay(100);
		await cluster.accounting?.stop();
		cluster.proxy.mend();
		await assert.rejects(recorded(), (error: Error) => error.name === "SlurmUnreachable");
		assert.equal(await Promise.race([going.end, delay(2_500, "goes on")]), "goes on");
		await cluster.accounting?.start();
		assert.match(String((await going.end).result["error"]), /^job \d+: it was canceled in Slurm by another client/);
		// The claims of the job are not at hand where the directory was lost.
		const comment = `svc/${ended.liveaction_id}`;
		assert.equal(await commands.find(ended.execution_id, `${comment}/1`), result["job_id"]);
		assert.equal(await commands.find(ended.execution_id, `${comment}/2`), undefined);
		const again = createRunContext(runner, { ...command("true", { array: 1 }), after: ended });
		const told = await runner.recover?.(again, { attempt: 1, job_id: String(result["job_id"]) });
		assert.deepEqual([told?.result["state"], told?.result["return_code"]], ["FAILED", 4]);
		for (const name of ["run_seconds", "nodes"]) assert.equal(told?.result[name], result[name]);
		await runner.afterRun?.(ended);
		await cluster.isIdle();
	}),
);

test.run();
