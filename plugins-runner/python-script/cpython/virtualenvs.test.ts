// test-timeout: 300
import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { test as everyTest } from "uvu";
import type { RunContextOptions } from "../../../core/testing/run-context.ts";
import { pythonScript } from "../index.ts";
import { PythonPack, useRunner, withPython } from "../python-pack.test-support.ts";

const test = withPython(everyTest);
const pack = new PythonPack(test);
const wheels = join(pack.directory, "wheels");
const runner = useRunner(
	test,
	pythonScript({ engine: "cpython", pip_arguments: ["--no-index", "--find-links", wheels], base_requirements: [] }),
);
const environments = join(runner.dataDirectory, "virtualenvs", "tests");

/** Make a wheel without any tool but Python: a module `svc_sample` and a command of that name. */
function buildWheel(version: string): void {
	const script = `
import sys, zipfile
directory, version = sys.argv[1:]
info = "svc_sample-" + version + ".dist-info/"
files = {
    "svc_sample.py": "version = '" + version + "'\\ndef main(): print('command', version)\\n",
    info + "METADATA": "Metadata-Version: 2.1\\nName: svc-sample\\nVersion: " + version + "\\n",
    info + "WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    info + "entry_points.txt": "[console_scripts]\\nsvc-sample = svc_sample:main\\n",
}
with zipfile.ZipFile(directory + "/svc_sample-" + version + "-py3-none-any.whl", "w") as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
    wheel.writestr(info + "RECORD", "".join(name + ",,\\n" for name in files) + info + "RECORD,,\\n")
`;
	mkdirSync(wheels, { recursive: true });
	execFileSync("python3", ["-c", script, wheels, version]);
}

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

test("after a restart a finished virtualenv is used again, an interrupted one is built again, and old ones are gone", async () => {
	assert.equal(readdirSync(environments).length, 3);
	const current = String(((await runner.run(useSample())).result["result"] as string[])[2]);
	const made = () => statSync(join(current, "pyvenv.cfg")).mtimeMs;
	const first = made();
	await runner.restart();
	assert.equal((await runner.run(useSample())).succeeded, true);
	assert.deepEqual(readdirSync(environments), [basename(current)]);
	assert.equal(made(), first);
	rmSync(join(current, ".complete"));
	await runner.restart();
	assert.equal((await runner.run(useSample())).succeeded, true);
	assert.notEqual(made(), first);
});

everyTest.run();
