// test-timeout: 240
// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { KillableRun } from "../../core/testing/external-jobs/killable-run.ts";
import { createRunContext, type RunContextOptions } from "../../core/testing/run-context.ts";
import { withRunner } from "../../core/testing/runner/started-runner.ts";
import { Podman, podmanTest } from "../_container/podman.test-support.ts";
import { addPythonImage } from "../_container/python-image.test-support.ts";
import { type PythonScriptOptions, pythonScript } from "./index.ts";
import { PythonPack, toInterpreter } from "./python-pack.test-support.ts";

const engineTest = podmanTest(test, "python3");
const pack = new PythonPack(test);
let started: Promise<{ readonly podman: Podman; readonly container: string }> | undefined;

const start = () =>
	(started ??= Podman.start().then(async (podman) => {
		return { podman, container: await addPythonImage(podman) };
	}));

test.after(async () => (await started)?.podman.stop());

async function runIn(given: RunContextOptions, options: PythonScriptOptions = {}) {
	const { podman, container } = await start();
	const containers = { host: podman.host, user: "65534:65534" };
	const plugin = pythonScript({ engine: "cpython", python_binary: toInterpreter(), containers, ...options });
	let seen = { result: {} as unknown, stdout: "", stderr: "", description: "" };
	await withRunner(plugin.create(), async (runner) => {
		const context = createRunContext(runner, { ...given, runnerParameters: { svc_container: container, ...given.runnerParameters } });
		const { result } = await runner.run(context);
		const [id] = await podman.jobs();
		const description = JSON.stringify(id && (await podman.client.json({ method: "GET", path: `/containers/${id}/json` })));
		seen = { result, stdout: context.text("stdout"), stderr: context.text("stderr"), description };
		await runner.afterRun?.(context);
	});
	assert.deepEqual(await podman.jobs(), []);
	assert.deepEqual(await podman.volumes(), []);
	return seen;
}

engineTest("a Python action runs in a container with its pack, its parameters and its token, and returns what it returns", async () => {
	pack.write("lib/none.txt", "");
	pack.write("actions/lib/words.py", "word = 'from the pack'\n");
	const body = "import os, words; print('hello'); return [words.word, os.getuid(), os.environ.get('SVC_ACTION_AUTH_TOKEN'), os.getcwd()]";
	const { result, stdout, description } = await runIn({ ...pack.body("inside", body), environment: { SVC_ACTION_AUTH_TOKEN: "t0ken" } });
	const { result: returned, exit_code, engine } = result as Record<string, unknown>;
	assert.deepEqual([returned, exit_code, engine], [["from the pack", 65534, "t0ken", "/svc/pack"], 0, "container localhost/python:test"]);
	assert.equal(stdout, "hello\n");
	assert.ok(!description.includes("t0ken"));
});

engineTest("how an action leaves, and what it says of that, is told as on the machine", async () => {
	const { result, stderr } = await runIn(pack.body("leaves", "sys.stderr.write('no such thing\\n'); sys.exit(7)"));
	const { result: returned, exit_code } = result as Record<string, unknown>;
	assert.deepEqual([returned, exit_code, stderr], ["None", 7, "no such thing\n"]);
});

engineTest("an action that puts something else in place of its result gives none, and reads nothing of the machine", async () => {
	const body = "import os; os.unlink('/svc/end/report'); os.symlink('/etc/passwd', '/svc/end/report'); return 'kept'";
	const { result } = await runIn(pack.body("swaps", body));
	assert.doesNotMatch(JSON.stringify(result), /root:/);
});

engineTest("an action whose service is killed before its container begins is run by the next one", async () => {
	const { podman, container } = await start();
	const plugin = pythonScript({ engine: "cpython", python_binary: toInterpreter(), containers: { host: podman.host } });
	const given = { ...pack.body("later", "return 'once'"), runnerParameters: { svc_container: container } };
	await withRunner(plugin.create(), async (runner, restart) => {
		const killed = new KillableRun(createRunContext(runner, given), 2);
		runner.run(killed.context).catch(() => {});
		await killed.death;
		const next = await restart(plugin.create());
		const again = createRunContext(next, { ...given, after: killed.context });
		const end = await next.recover?.(again, killed.context.savedState() ?? {});
		assert.deepEqual([end?.succeeded, end?.result["result"]], [true, "once"]);
		await next.afterRun?.(again);
		killed.bury();
	});
	assert.deepEqual(await podman.jobs(), []);
});

engineTest("an image without Python says so", async () => {
	const given = pack.body("nothing", "return 1");
	const { result } = await runIn({ ...given, runnerParameters: { svc_container: "localhost/busybox:test" } });
	assert.match(JSON.stringify(result), /the image has no python3/);
});

engineTest("with container_required nothing of a pack runs on the machine", async () => {
	const { podman } = await start();
	const containers = { host: podman.host };
	const plugin = pythonScript({ engine: "cpython", python_binary: toInterpreter(), containers, container_required: true });
	await withRunner(plugin.create(), async (runner) => {
		const run = runner.run(createRunContext(runner, pack.body("outside", "return 1")));
		await assert.rejects(run, { code: "SVC_INVALID", message: /"svc_container" is required/ });
	});
});

test.run();
