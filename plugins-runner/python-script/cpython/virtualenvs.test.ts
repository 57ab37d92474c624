// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test as everyTest } from "uvu";
import { buildSampleWheel } from "../../../core/testing/packs/sample-wheel.test-support.ts";
import { createPluginContext } from "../../../core/testing/plugin-context.ts";
import { type RunContextOptions, silentLogger } from "../../../core/testing/run-context.ts";
import { eventually, useLauncher } from "../../_process/launcher.test-support.ts";
import { pythonScript } from "../index.ts";
import { PythonPack, toInterpreter, useRunner, withPython } from "../python-pack.test-support.ts";
import { findInterpreter } from "./interpreter.ts";
import { Virtualenvs } from "./virtualenvs.ts";

const test = withPython(everyTest);
const pack = new PythonPack(test);
const wheels = join(pack.directory, "wheels");
const runner = useRunner(
	test,
	pythonScript({ engine: "cpython", pip_arguments: ["--no-index", "--no-warn-conflicts", "--find-links", wheels], base_requirements: [] }),
);
const launcher = useLauncher(test, "child_process");
const environments = join(runner.dataDirectory, "virtualenvs");

async function until(holds: () => boolean): Promise<void> {
	assert.ok(await eventually(holds, 20_000), String(holds));
}

const buildWheel = (version: string) => buildSampleWheel(wheels, version);

function useSample(): RunContextOptions {
	const body = `
import subprocess, svc_sample
return [svc_sample.version, subprocess.run(['svc-sample'], capture_output=True, text=True).stdout, sys.prefix]`;
	return pack.body("sample", body);
}

test("a pack without requirements has no virtualenv", async () => {
	pack.write("requirements.txt", "# nothing yet\n\n");
	const { result } = await runner.run(pack.body("bare", "return sys.prefix == sys.base_prefix"));
	assert.equal(result["result"], true);
	assert.equal(existsSync(environments), false);
});

test("requirements are installed once, with the pip of the machine; modules and commands of them are found", async () => {
	buildWheel("1.0");
	pack.write("requirements.txt", "svc-sample==1.0\n");
	const ends = await Promise.all([runner.run(useSample()), runner.run(useSample())]);
	const [directory = ""] = readdirSync(environments);
	for (const { result } of ends)
		assert.deepEqual(result["result"], ["1.0", "command 1.0\n", join(environments, directory)], String(result["stderr"]));
	assert.equal(readdirSync(environments).length, 1);
	const machineHasPip = spawnSync(toInterpreter(), ["-c", "import pip.__main__"]).status === 0;
	assert.equal(existsSync(join(environments, directory, "bin/pip")), !machineHasPip);
});

test("a pack that is named gets none, whatever it asks for, and others do", async () => {
	pack.write("requirements.txt", "-e .\n");
	for (const [named, isBuilt] of [
		["yard", false],
		["*", false],
		["other", true],
	] as const) {
		const directory = join(pack.directory, "none");
		const options = { directory, launcher, logger: silentLogger, interpreter: await findInterpreter(toInterpreter()) };
		const built = new Virtualenvs({ ...options, pipArguments: ["--no-index"], baseRequirements: [], leftOut: new Set([named]) });
		try {
			const prepared = built.prepare({ pack: "yard", packDirectory: pack.directory });
			if (isBuilt) await assert.rejects(prepared, /line 1: the option "-e" is not allowed/);
			else assert.equal(await prepared, undefined);
		} finally {
			await built.stop();
		}
	}
});

/** A Python that looks for packages where it has been told to and nowhere else, like that of a machine without pip. */
function writeBareInterpreter(): string {
	const file = join(pack.directory, "bare-python3");
	const script = '#!/bin/sh\nfor each do shift; [ "$each" = --system-site-packages ] || set -- "$@" "$each"; done\nexec python3 "$@"\n';
	writeFileSync(file, script, { mode: 0o755 });
	return file;
}

test("a virtualenv gets a pip of its own where the machine has none", async () => {
	pack.write("requirements.txt", "svc-sample==1.0\n");
	const interpreter = { file: writeBareInterpreter(), version: "3" };
	const options = { directory: join(pack.directory, "bare"), launcher, logger: silentLogger, interpreter };
	const built = new Virtualenvs({
		...options,
		pipArguments: ["--no-index", "--no-warn-conflicts", "--find-links", wheels],
		baseRequirements: [],
	});
	try {
		const directory = (await built.prepare({ pack: "yard", packDirectory: pack.directory })) ?? "";
		assert.ok(existsSync(join(directory, "bin/pip")));
		assert.ok(existsSync(join(directory, "bin/svc-sample")));
	} finally {
		await built.stop();
	}
});

test("changed requirements get a virtualenv of their own; an abort ends the run at once, and the build goes on for the next one", async () => {
	buildWheel("2.0");
	pack.write("requirements.txt", "svc-sample\n");
	const run = runner.context(useSample());
	const end = runner.run(run);
	run.abort("cancel");
	assert.deepEqual([(await end).succeeded, (await end).result["result"]], [false, "None"]);
	const { result } = await runner.run(useSample());
	assert.deepEqual((result["result"] as string[]).slice(0, 2), ["2.0", "command 2.0\n"]);
	assert.equal(readdirSync(environments).length, 2);
});

test("what cannot be installed fails the run with what pip said, and leaves nothing", async () => {
	const before = readdirSync(environments);
	pack.write("requirements.txt", "svc-sample==3.0\n");
	await assert.rejects(runner.run(useSample()), /virtualenv of pack "tests" cannot be built: [^]*svc-sample==3\.0/);
	assert.deepEqual(readdirSync(environments), before);
});

test("after a restart a finished virtualenv is used again, and one that was not used for long is removed", async () => {
	pack.write("requirements.txt", "svc-sample\n");
	const current = String(((await runner.run(useSample())).result["result"] as string[])[2]);
	const made = () => statSync(join(current, "pyvenv.cfg")).mtimeMs;
	const first = made();
	const [other = ""] = readdirSync(environments).filter((name) => name !== basename(current));
	const eightDaysAgo = new Date(Date.now() - 8 * 24 * 3_600_000);
	utimesSync(join(environments, other, ".complete"), eightDaysAgo, eightDaysAgo);
	await runner.restart();
	assert.equal((await runner.run(useSample())).succeeded, true);
	await until(() => readdirSync(environments).length === 1);
	assert.deepEqual(readdirSync(environments), [basename(current)]);
	assert.equal(made(), first);
});

test("packs that require the same share one virtualenv, whatever their files are called", async () => {
	const place = (name: string) => join(pack.directory, "others", name);
	pack.write("others/one/requirements.txt", "# ours\nsvc-sample\n");
	pack.write("others/two/requirements.txt", "-r deps/all.txt\n");
	pack.write("others/two/deps/all.txt", "svc-sample  # theirs\n");
	const before = readdirSync(environments);
	const told: string[] = [];
	for (const name of ["one", "two"]) await runner.prepare(name, place(name), (text) => void told.push(text));
	assert.deepEqual(readdirSync(environments), before, "the one that was there serves both");
	assert.equal(told.join(""), "");
});

/** Name of the virtualenv that was used last. */
let current = "";

test("a virtualenv in use is never removed, however old it is; it is removed after it has not been used for a while", async () => {
	// The virtualenv that the tests before have used serves the first use.
	const options = {
		...{ directory: environments, interpreter: await findInterpreter(toInterpreter()), launcher, logger: silentLogger },
		...{
			pipArguments: ["--no-index", "--no-warn-conflicts", "--find-links", wheels],
			baseRequirements: [],
			interval: 50,
			unusedAfter: 1_000,
		},
	};
	const [mine, other] = [new Virtualenvs(options), new Virtualenvs(options)];
	pack.write("others/one/requirements.txt", "svc-sample\n");
	const place = { pack: "one", packDirectory: join(pack.directory, "others/one"), signal: new AbortController().signal };
	try {
		const before = readdirSync(environments);
		await mine.use(place, async (virtualenv = "") => {
			current = basename(virtualenv);
			assert.ok(before.includes(current));
			await new Promise((resolve) => setTimeout(resolve, 2_000));
			assert.ok(existsSync(join(virtualenv, ".complete")));
		});
		await until(() => readdirSync(environments).length === 0);
	} finally {
		await Promise.all([mine.stop(), other.stop()]);
	}
});

test("processes that find an interrupted one at once make it anew once, and the one that does passes on what pip says", async () => {
	assert.deepEqual(readdirSync(environments), [], "the test before has had it removed");
	mkdirSync(join(environments, current, "bin"), { recursive: true });
	const logged: string[] = [];
	const told: string[] = [];
	const make = async (nodeId: string) => {
		const other = pythonScript({
			engine: "cpython",
			pip_arguments: ["--no-index", "--no-warn-conflicts", "--find-links", wheels],
			base_requirements: [],
		}).create();
		const keep = (message: string) => void logged.push(message);
		const logger = { ...silentLogger, info: keep };
		await other.start?.({ ...createPluginContext({ dataDirectory: runner.dataDirectory, logger }), nodeId });
		return other;
	};
	const runners = await Promise.all(["a", "b", "c"].map(make));
	try {
		const { signal } = new AbortController();
		const emit = async (_type: string, text: string) => void told.push(text);
		const given = { pack: "two", packDirectory: join(pack.directory, "others/two"), signal, emit };
		await Promise.all(runners.map((each) => each.prepare?.(given)));
		assert.equal(logged.filter((message) => message === "virtualenv built").length, 1);
	} finally {
		for (const each of runners) await each.stop?.();
	}
	assert.equal(told.join("").match(/Successfully installed svc-sample-2\.0/g)?.length, 1);
	assert.deepEqual(readdirSync(environments), [current], "no lock is left");
	assert.ok(existsSync(join(environments, current, ".complete")));
});

everyTest.run();
