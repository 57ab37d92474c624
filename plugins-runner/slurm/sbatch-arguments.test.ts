import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createRunContext } from "../../core/testing/run-context.ts";
import { parseSacct } from "./job-state.ts";
import { assertOptions, type SlurmOptions } from "./options.ts";
import { slurmParameters } from "./parameters.ts";
import { toArray, toSbatchArguments } from "./sbatch-arguments.ts";
import { toItemText, toStartScript } from "./start-script.ts";

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
	for (const name of ["nodes", "ntasks", "cpus_per_task"]) {
		for (const bad of [0, -1, 1_000_001])
			assert.throws(() => toSbatchArguments(values({ [name]: bad }), options), new RegExp(`"${name}" must be`));
	}
});

test("defaults stand in, and what the configuration does not name is refused", () => {
	const limited = { ...options, defaults: { partition: "a", account: "x" }, partitions: ["a", "b"], accounts: ["x"] };
	assert.deepEqual(toSbatchArguments(values({}), limited), ["--partition=a", "--account=x"]);
	assert.throws(() => toSbatchArguments(values({ partition: "a,c" }), limited), /"partition" "c" is not one of those.*a, b/);
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
	for (const bad of [0, -1, 1.5, 1_001, 1e15, [], "3", "0-9", {}, true])
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

test("the accounting is read as it writes", () => {
	const [first, second] = parseSacct(
		"12|CANCELLED by 1000|0:15|100|110|130|n[1-2]|svc/a/1|None\n13_4|FAILED|3:0|1|Unknown|None assigned|n1||\n",
	);
	assert.deepEqual(first, {
		...{ jobId: "12", index: undefined, state: "CANCELLED", reason: "", exitStatus: 15, comment: "svc/a/1" },
		...{ submitted: 100, started: 110, ended: 130, nodes: "n[1-2]" },
	});
	assert.deepEqual([second?.jobId, second?.index, second?.exitStatus, second?.started], ["13", 4, 768, undefined]);
});

test.run();
