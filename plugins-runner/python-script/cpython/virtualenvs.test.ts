// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test as everyTest } from "uvu";
import { buildSampleWheel } from "../../../core/testing/packs/sample-wheel.test-support.ts";
import { createPluginContext } from "../../../core/testing/plugin-context.ts";
import { type RunContextOptions, silentLogger } from "../../../core/testing/run-context.ts";
import { eventually, useLauncher } from "../../_process/launcher.test-support.ts";
import { pythonScript } from "../index.ts";
import { PythonPack, useRunner, withPython } from "../python-pack.test-support.ts";
import { findInterpreter } from "./interpreter.ts";
import { Virtualenvs } from "./virtualenvs.ts";

const test = withPython(everyTest);
const pack = new PythonPack(test);
const wheels = join(pack.directory, "wheels");
const runner = useRunner(
	test,
	pythonScript({ engine: "cpython", pip_arguments: ["--no-index", "--find-links", wheels], base_requirements: [] }),
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

test("requirements are installed once, modules and commands of them are found", async () => {
	buildWheel("1.0");
	pack.write("requirements.txt", "svc-sample==1.0\n");
	const ends = await Promise.all([runner.run(useSample()), runner.run(useSample())]);
	const [directory = ""] = readdirSync(environments);
	for (const { result } of ends)
		assert.deepEqual(result["result"], ["1.0", "command 1.0\n", join(environments, directory)], String(result["stderr"]));
	assert.equal(readdirSync(environments).length, 1);
});

test("a pack that is named gets none, whatever it asks for, and others do", async () => {
	pack.write("requirements.txt", "svc-nowhere==1.0\n");
	for (const [named, isBuilt] of [
		["yard", false],
		["*", false],
		["other", true],
	] as const) {
		const directory = join(pack.directory, "none");
		const options = { directory, launcher, logger: silentLogger, interpreter: await findInterpreter("python3") };
		const built = new Virtualenvs({ ...options, pipArguments: ["--no-index"], baseRequirements: [], leftOut: new Set([named]) });
		try {
			const prepared = built.prepare({ pack: "yard", packDirectory: pack.directory });
			if (isBuilt) await assert.rejects(prepared, /svc-nowhere/);
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

test("a virtualenv has a pip of its own only where the machine has none", async () => {
	const machineHasPip = spawnSync("python3", ["-c", "import pip.__main__"]).status === 0;
	pack.write("requirements.txt", "svc-sample==1.0\n");
	for (const [name, file, hasOwn] of [
		["machine", (await findInterpreter("python3")).file, !machineHasPip],
		["bare", writeBareInterpreter(), true],
	] as const) {
		const options = { directory: join(pack.directory, name), launcher, logger: silentLogger, interpreter: { file, version: "3" } };
		const built = new Virtualenvs({ ...options, pipArguments: ["--no-index", "--find-links", wheels], baseRequirements: [] });
		try {
			const directory = (await built.prepare({ pack: "yard", packDirectory: pack.directory })) ?? "";
			assert.equal(existsSync(join(directory, "bin/pip")), hasOwn, name);
			assert.ok(existsSync(join(directory, "bin/svc-sample")), name);
		} finally {
			await built.stop();
		}
	}
});

test("changed requirements get a virtualenv of their own", async () => {
	buildWheel("2.0");
	pack.write("requirements.txt", "svc-sample==2.0\n");
	const { result } = await runner.run(useSample());
	assert.deepEqual((result["result"] as string[]).slice(0, 2), ["2.0", "command 2.0\n"]);
});

test("what cannot be installed fails the run with what pip said, and leaves nothing", async () => {
	const before = readdirSync(environments);
	pack.write("requirements.txt", "svc-sample==3.0\n");
	await assert.rejects(runner.run(useSample()), /virtualenv of pack "tests" cannot be built: [^]*svc-sample==3\.0/);
	assert.deepEqual(readdirSync(environments), before);
});

test("an abort ends the run at once, and the build goes on for the next one", async () => {
	pack.write("requirements.txt", "svc-sample\n");
	const run = runner.context(useSample());
	const end = runner.run(run);
	run.abort("cancel");
	assert.deepEqual([(await end).succeeded, (await end).result["result"]], [false, "None"]);
	assert.equal(((await runner.run(useSample())).result["result"] as string[])[0], "2.0");
});

test("a virtualenv that somebody removed is built again", async () => {
	const { result } = await runner.run(useSample());
	rmSync(String((result["result"] as string[])[2]), { recursive: true });
	assert.equal((await runner.run(useSample())).succeeded, true);
});

test("after a restart a finished virtualenv is used again, an interrupted one is built again, and one that nobody has used for long is gone", async () => {
	assert.equal(readdirSync(environments).length, 3);
	const current = String(((await runner.run(useSample())).result["result"] as string[])[2]);
	const made = () => statSync(join(current, "pyvenv.cfg")).mtimeMs;
	const first = made();
	const others = readdirSync(environments).filter((name) => name !== basename(current));
	const eightDaysAgo = new Date(Date.now() - 8 * 24 * 3_600_000);
	utimesSync(join(environments, others[0] ?? "", ".complete"), eightDaysAgo, eightDaysAgo);
	await runner.restart();
	assert.equal((await runner.run(useSample())).succeeded, true);
	await until(() => readdirSync(environments).length === 2);
	assert.deepEqual(readdirSync(environments).sort(), [basename(current), others[1] ?? ""].sort());
	assert.equal(made(), first);
	rmSync(join(current, ".complete"));
	await runner.restart();
	assert.equal((await runner.run(useSample())).succeeded, true);
	assert.notEqual(made(), first);
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
	pack.write("others/two/deps/all.txt", "svc-sample<2\n");
	await runner.prepare("two", place("two"), (text) => void told.push(text));
	assert.equal(readdirSync(environments).length, before.length + 1, "what is included counts");
	assert.match(told.join(""), /Successfully installed svc-sample-1\.0/);
});

test("two processes that want the same at once make it once", async () => {
	pack.write("others/three/requirements.txt", "svc-sample>=1.0\n");
	const logged: string[] = [];
	const make = async (nodeId: string) => {
		const other = pythonScript({
			engine: "cpython",
			pip_arguments: ["--no-index", "--find-links", wheels],
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
		const given = { pack: "three", packDirectory: join(pack.directory, "others/three"), signal, emit: async () => {} };
		await Promise.all(runners.map((each) => each.prepare?.(given)));
		assert.equal(logged.filter((message) => message === "virtualenv built").length, 1);
	} finally {
		for (const each of runners) await each.stop?.();
	}
	assert.deepEqual(
		readdirSync(environments).filter((name) => name.endsWith(".lock")),
		[],
	);
});

test("one that is in use is removed by nobody, however long it has been so, and afterwards when nobody has used it for a while", async () => {
	const directory = join(runner.dataDirectory, "short");
	const options = {
		...{ directory, interpreter: await findInterpreter("python3"), launcher, logger: silentLogger },
		...{ pipArguments: ["--no-index", "--find-links", wheels], baseRequirements: [], interval: 50, unusedAfter: 1_000 },
	};
	const [mine, other] = [new Virtualenvs(options), new Virtualenvs(options)];
	pack.write("others/one/requirements.txt", "svc-sample\n");
	const place = { pack: "one", packDirectory: join(pack.directory, "others/one"), signal: new AbortController().signal };
	try {
		await mine.use(place, async (virtualenv = "") => {
			await new Promise((resolve) => setTimeout(resolve, 2_000));
			assert.ok(existsSync(join(virtualenv, ".complete")));
		});
		await until(() => readdirSync(directory).length === 0);
		assert.ok(existsSync((await mine.prepare(place)) ?? ""), "the next use makes it again");
	} finally {
		await Promise.all([mine.stop(), other.stop()]);
	}
});

test("a pack whose requirements cannot be installed is told so when it is prepared, with what pip said last, and nothing is left", async () => {
	const before = readdirSync(environments);
	pack.write("others/four/requirements.txt", "svc-sample==9.9\n");
	await assert.rejects(
		runner.prepare("four", join(pack.directory, "others/four"), () => {}),
		/virtualenv of pack "four" cannot be built: [^]*svc-sample==9\.9/,
	);
	assert.deepEqual(readdirSync(environments), before);
});

everyTest.run();
