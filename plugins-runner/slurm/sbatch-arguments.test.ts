import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { link, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { createRunContext } from "../../core/testing/run-context.ts";
import { JobDirectory } from "./job-directory.ts";
import { toTaskEnd } from "./job-result.ts";
import { parseSacct } from "./job-state.ts";
import { assertOptions, type SlurmOptions } from "./options.ts";
import { slurmParameters } from "./parameters.ts";
import { toArray, toSbatchArguments } from "./sbatch-arguments.ts";
import { toItemText, toStartScript } from "./start-script.ts";
import { TaskOutput } from "./task-output.ts";

const values = (given: object) => createRunContext({ parameters: slurmParameters }, { runnerParameters: given }).runnerParameters;
const options: SlurmOptions = { directory: "/shared" };

test("each value is one argument with its option before it", () => {
	const given = {
		partition: "main,big",
		account: "lab",
		constraint: "gpu&ib",
		gres: "gpu:a100:2",
		memory: "4G",
		nodes: 2,
		cpus_per_task: 8,
		time_limit: 61,
	};
	assert.deepEqual(toSbatchArguments(values(given), options), [
		"--partition=main,big",
		"--account=lab",
		"--constraint=gpu&ib",
		"--gres=gpu:a100:2",
		"--mem=4G",
		"--nodes=2",
		"--cpus-per-task=8",
		"--time=2",
	]);
});

test("no value can bring an option or a line of its own", () => {
	for (const name of ["partition", "account", "qos", "reservation", "constraint", "gres", "memory"]) {
		for (const bad of ["-x", "--wrap=id", "a b", "a\n#SBATCH --uid=0", "a\0", "a=$(id)", "a;b", "x".repeat(300), "%j", "a\\b", "é"]) {
			assert.throws(() => toSbatchArguments(values({ [name]: bad }), options), new RegExp(`parameter "${name}"`), `${name} ${bad}`);
		}
	}
	// All the memory of a node, to Slurm.
	for (const memory of ["0", "00K"])
		assert.throws(() => toSbatchArguments(values({ memory }), options), /"memory" must be a number greater than 0/);
	for (const name of ["nodes", "ntasks", "cpus_per_task"]) {
		for (const bad of [0, -1, 1_000_001])
			assert.throws(() => toSbatchArguments(values({ [name]: bad }), options), new RegExp(`"${name}" must be`));
	}
});

test("defaults stand in, and what the configuration does not name is refused", () => {
	const limited = { ...options, defaults: { partition: "a", account: "x" }, partitions: ["a", "b"], accounts: ["x"] };
	assert.deepEqual(toSbatchArguments(values({}), limited), ["--partition=a", "--account=x"]);
	assert.throws(() => toSbatchArguments(values({ partition: "a,c" }), limited), /"partition" "c" is not allowed.*a, b/);
	assert.throws(() => toSbatchArguments(values({ account: "y" }), limited), /"account" "y"/);
});

test("the time limit is the smaller one, in whole minutes", () => {
	const time = (given: object, more: object = {}) => toSbatchArguments(values(given), { ...options, ...more });
	assert.deepEqual(time({ time_limit: 600, timeout: 60 }), ["--time=1"]);
	assert.deepEqual(time({ timeout: 0 }), []);
	assert.deepEqual(time({}, { defaults: { time_limit: 3_600 } }), ["--time=60"]);
	assert.throws(() => time({ time_limit: 0 }), /"time_limit" must be/);
});

test("an array is a number or a list, no longer than allowed", () => {
	assert.equal(toArray(values({}), options), undefined);
	assert.equal(toArray(values({ array: 3, array_limit: 2 }), options)?.argument, "--array=0-2%2");
	assert.deepEqual(toArray(values({ array: ["a", 1] }), options), { argument: "--array=0-1", items: ["a", 1] });
	// As a command line and templates have it.
	assert.deepEqual(toArray(values({ array: '["a", 1]' }), options), { argument: "--array=0-1", items: ["a", 1] });
	assert.equal(toArray(values({ array: "3" }), options)?.argument, "--array=0-2");
	for (const bad of ["", "three", "[1", "0", '"3"', '{"a": 1}', "1e9"]) {
		assert.throws(() => toArray(values({ array: bad }), options), /"array" must be/, bad);
	}
	for (const bad of [0, -1, 1.5, 1_001, 1e15, [], "0-9", {}, true])
		assert.throws(() => toArray(values({ array: bad }), options), /"array" must be/);
	assert.throws(() => toArray(values({ array_limit: 2 }), options), /"array_limit"/);
	assert.throws(() => toItemText("a\0"), /NUL/);
});

test("variables of Slurm's commands and names that a shell cannot set are refused", () => {
	const script = (environment: Record<string, string>) => toStartScript("/d", { command: { text: "true" }, cwd: "/", environment });
	for (const name of ["SLURM_CONF", "SBATCH_WRAP", "SRUN_X", "slurm_task_prolog", "a-b", "A=b", "", "a\nb"])
		assert.throws(() => script({ [name]: "x" }), /"env"/, name);
	assert.ok(script({ A: "it's $(x)\n`y`" }).includes("export A='it'\\''s $(x)\n`y`'\n"));
});

test("options that cannot work are refused by their name", () => {
	for (const directory of ["relative", "/a%j", "/a\nb", "/a\\b"])
		assert.throws(() => assertOptions({ directory }), /directory of runner "slurm"/);
	assert.throws(() => assertOptions({ ...options, installation: "a/b" }), /installation/);
	assert.throws(() => assertOptions({ ...options, max_array: 0 }), /max_array/);
	assert.throws(() => assertOptions({ ...options, kill_grace: -1 }), /kill_grace/);
});

test("the accounting is read as it writes, with the comment from the command line where it keeps none", () => {
	const line = "sbatch --parsable --job-name=j --comment=svc/a/1 --no-requeue --array=0-1";
	const [first, second, kept] = parseSacct(
		[
			`4_1|CANCELLED by 1000|0:15|1795623454|1795623455|1795623457|n[1-2]|j||${line}`,
			`5|FAILED|3:0|1795623454|Unknown|None assigned|n1|j||${line}`,
			`6|OUT_OF_MEMORY|0:125|1795623454|1795623455|1795623457|n1|j|svc/b/2|sbatch --comment=other a|b`,
			"",
		].join("\n"),
	);
	assert.deepEqual(first, {
		...{ jobId: "4", index: 1, state: "CANCELLED", reason: "by user 1000", exitStatus: 15, name: "j", comment: "svc/a/1" },
		...{ submitted: 1795623454, started: 1795623455, ended: 1795623457, nodes: "n[1-2]" },
	});
	assert.deepEqual([second?.jobId, second?.index, second?.exitStatus, second?.started], ["5", undefined, 768, undefined]);
	assert.deepEqual([kept?.state, kept?.comment], ["OUT_OF_MEMORY", "svc/b/2"]);
});

test("each end that Slurm has a word for is told with the reason, and time limits as timeout", async () => {
	const task = { index: undefined, submitted: 100, started: 110, ended: 130, nodes: "n1", name: "j", comment: "", jobId: "7" };
	const rows: readonly [state: string, reason: string, exitStatus: number, code: number, error: string | undefined][] = [
		["OUT_OF_MEMORY", "OutOfMemory", 125 * 256, 125, "it exceeded its memory limit (OutOfMemory)"],
		["TIMEOUT", "TimeLimit", 0, -1, "it exceeded its time limit (TimeLimit)"],
		["NODE_FAIL", "NodeDown", 0, -1, "its Slurm node failed (NodeDown)"],
		["CANCELLED", "by user 7", 15, -15, "it was canceled in Slurm by another client (by user 7)"],
		["PREEMPTED", "", 0, -1, "it was preempted by another job"],
		["FAILED", "NonZeroExitCode", 3 * 256, 3, undefined],
		["FAILED", "", 11, -11, "the process was ended by signal 11 (SIGSEGV)"],
		["FAILED", "JobLaunchFailure", 9, -9, "Slurm could not start it or ended it (JobLaunchFailure)"],
	];
	for (const [state, reason, exitStatus, code, error] of rows) {
		const end = await toTaskEnd({ ...task, state, reason, exitStatus }, 0, new JobDirectory("/nowhere"));
		assert.deepEqual([end.return_code, end.error, end.queued_seconds, end.run_seconds], [code, error, 10, 20], state);
	}
});

test("what a job puts in the place of its files is not followed, not waited for and not read without end", async () => {
	const path = await mkdtemp(join(tmpdir(), "svc-slurm-"));
	const directory = new JobDirectory(path);
	const read = async (name: string) => {
		const got: { text: string; failure?: unknown } = { text: "" };
		const output = new TaskOutput({
			paths: [join(path, name)],
			delivered: 0,
			isLeft: () => false,
			deliver: (text) => void (got.text += text),
			onFailure: (error) => {
				got.failure = error;
			},
		});
		await output.read(() => true);
		await output.close();
		return got;
	};
	try {
		await writeFile(join(path, "own"), "printed\n");
		assert.deepEqual(await read("own"), { text: "printed\n" });
		assert.deepEqual(await read("none"), { text: "" });
		for (const name of ["key", "password"]) await writeFile(join(path, name), "12345");
		await symlink(join(path, "key"), join(path, "stdout"));
		await link(join(path, "password"), join(path, "stderr"));
		// Whoever opened these would wait for somebody who writes; more of them than there are threads.
		for (let task = 0; task < 6; task++) execFileSync("mkfifo", [join(path, `status.${task}`), join(path, `stdout.${task}`)]);
		for (const name of ["stdout", "stderr", "stdout.0", "."]) {
			const { text, failure } = await read(name);
			assert.equal(text, "", name);
			assert.match(String(failure), /replaced its file/, name);
		}
		assert.deepEqual(await Promise.all([0, 1, 2, 3, 4, 5].map((task) => directory.readStatus(task))), Array(6).fill(undefined));
		await symlink(join(path, "key"), join(path, "status.6"));
		await symlink("/dev/zero", join(path, "claim.1.0"));
		assert.equal(await directory.readStatus(6), undefined);
		assert.equal(await directory.readClaim(1, 1), undefined);
		// Ids of jobs go to scancel.
		await writeFile(join(path, "claim.2.0"), "1,2");
		await assert.rejects(directory.readClaim(2, 1), /claim of task 0 is not a job number/);
		// A job that has just created its claim.
		await writeFile(join(path, "claim.3.0"), "");
		const forbidding = directory.forbid(3, 1);
		await delay(300);
		await writeFile(join(path, "claim.3.0"), "17\n");
		assert.equal(await forbidding, false);
		assert.equal(await directory.forbid(4, 1), true);
	} finally {
		await rm(path, { recursive: true });
	}
});

test.run();
