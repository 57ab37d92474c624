// test-waits
import * as assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import type { OutputType, RunAborted } from "../../../core/contract/index.ts";
import { createRunContext, silentLogger, type TestRunContext } from "../../../core/testing/run-context.ts";
import { createBaseEnvironment } from "../environment.ts";
import { createMarker, eventually, findProcesses, spawners, useLauncher } from "../launcher.test-support.ts";
import { DetachedRuns } from "./detached-runs.ts";
import { RunDirectory } from "./run-directory.ts";

const launcher = useLauncher(test, spawners[0]);
const directory = mkdtempSync(join(tmpdir(), "svc-lasting-"));
test.after(() => rmSync(directory, { recursive: true }));

const createRuns = () => new DetachedRuns({ directory, logger: silentLogger });

/** As the host does: what a run keeps on disk goes once its end is stored. */
async function stored<E>(end: Promise<E>, { liveaction_id }: TestRunContext): Promise<E> {
	let ended: E | undefined;
	try {
		ended = await end;
		return ended;
	} finally {
		if (ended !== "left") await createRuns().forget(liveaction_id);
	}
}

const createContext = (after?: TestRunContext) => createRunContext({ parameters: {} }, after === undefined ? {} : { after });

function start(command: string, context = createContext(), env: Record<string, string> = {}) {
	const request = { file: "/bin/sh", args: ["-c", command], cwd: "/", env: { ...createBaseEnvironment(), ...env } };
	return { context, end: stored(createRuns().run(launcher, request, context), context) };
}

/** Let the service stop once the run has printed `part`; what is given back goes on with it. */
async function interrupt({ context, end }: ReturnType<typeof start>, type: OutputType, part: string) {
	await context.waitFor(type, part);
	context.abort("shutdown" satisfies RunAborted["kind"]);
	assert.equal(await end, "left");
	const again = createContext(context);
	return { context: again, recover: () => stored(createRuns().recover(context.savedState() ?? {}, again), again) };
}

test.after.each(() => assert.deepEqual(readdirSync(directory), [], "a directory was left behind"));

test("output, exit code and standard input are those of the process", async () => {
	const { context, end } = start("echo out; echo err >&2; cat; exit 7");
	assert.deepEqual(await end, { code: 7, signal: null });
	assert.equal(context.text("stdout"), "out\n");
	assert.equal(context.text("stderr"), "err\n");
	const quick = start("exit 0");
	assert.deepEqual(await quick.end, { code: 0, signal: null });
});

test("a process goes on while nobody follows it, and is found again without gap or repeat", async () => {
	const command = "i=0; while [ $i -lt 40 ]; do echo line $i; echo error $i >&2; i=$((i+1)); sleep 0.02; done; exit 3";
	const { context, recover } = await interrupt(start(command), "stdout", "line 5\n");
	assert.deepEqual(await recover(), { code: 3, signal: null });
	const lines = (word: string) => Array.from({ length: 40 }, (_, index) => `${word} ${index}\n`).join("");
	assert.equal(context.text("stdout"), lines("line"));
	assert.equal(context.text("stderr"), lines("error"));
});

test("what ended meanwhile is found with its exit code and all it wrote", async () => {
	const marker = createMarker();
	const { context, recover } = await interrupt(start(`echo first; sleep 0.3; echo last; exit 4 # ${marker}`), "stdout", "first\n");
	assert.ok(await eventually(() => findProcesses(marker).length === 0));
	assert.deepEqual(await recover(), { code: 4, signal: null });
	assert.equal(context.text("stdout"), "first\nlast\n");
});

test("an end that the service had no time to store is found again, with all the output", async () => {
	const context = createContext();
	const request = { file: "/bin/sh", args: ["-c", 'echo "$SVC_ACTION_EXECUTION_ID"; exit 5'], cwd: "/" };
	const env = { ...createBaseEnvironment(), SVC_ACTION_EXECUTION_ID: "e1" };
	const runs = createRuns();
	assert.deepEqual(await runs.run(launcher, { ...request, env }, context), { code: 5, signal: null });
	const again = createContext();
	const { liveaction_id } = context;
	assert.deepEqual(await createRuns().recover(context.savedState() ?? {}, { ...again, liveaction_id }), { code: 5, signal: null });
	assert.equal(again.text("stdout"), "e1\n");
	await runs.forget(liveaction_id);
});

test("bytes that are no UTF-8 and characters cut in two make no gap", async () => {
	const command = "printf 'a\\377b\\n'; printf 'caf\\303'; sleep 0.4; printf '\\251\\n\\360\\237'; exit 0";
	const { context, recover } = await interrupt(start(command), "stdout", "a\uFFFDb\n");
	assert.deepEqual(await recover(), { code: 0, signal: null });
	assert.equal(context.text("stdout"), "a\uFFFDb\ncafé\n\uFFFD");
});

test("a script may open its standard error again and loses nothing", async () => {
	const { context, end } = start("echo one >&2; echo two >/dev/stderr; echo three >/dev/stderr");
	await end;
	assert.equal(context.text("stderr"), "one\ntwo\nthree\n");
});

for (const found of [false, true]) {
	test(`an abort ends everything${found ? " that was found again" : ""}, and what ignores TERM is killed`, async () => {
		const marker = createMarker();
		const first = start(`trap '' TERM; sleep ${marker} & echo ready; sleep ${marker}; sleep ${marker}`);
		await first.context.waitFor("stdout", "ready\n");
		const again = found ? await interrupt(first, "stdout", "ready\n") : undefined;
		const run = again === undefined ? first : { context: again.context, end: again.recover() };
		const begin = performance.now();
		run.context.abort("cancel");
		assert.deepEqual(await run.end, { code: null, signal: "SIGKILL" });
		assert.ok(performance.now() - begin < 6_500);
		assert.deepEqual(findProcesses(marker), []);
	});
}

test("a process may end in its own way after TERM", async () => {
	const { context, end } = start("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done");
	await context.waitFor("stdout", "ready\n");
	context.abort("timeout");
	assert.deepEqual(await end, { code: 7, signal: null });
	assert.equal(context.text("stdout"), "ready\nbye\n");
});

test("a grandchild that holds the output delays the end by a second at most", async () => {
	const marker = createMarker();
	const begin = performance.now();
	const { context, end } = start(`sleep ${marker} & echo done`);
	assert.deepEqual(await end, { code: 0, signal: null });
	assert.equal(context.text("stdout"), "done\n");
	assert.ok(performance.now() - begin < 2_500);
	assert.ok(await eventually(() => findProcesses(marker).length === 0));
});

test("a process killed from outside is told as killed, and as lost when nobody followed it", async () => {
	const killAll = (marker: string) => `echo ready; kill -9 0 # ${marker}`;
	assert.deepEqual(await start(killAll(createMarker())).end, { code: null, signal: "SIGKILL" });
	const marker = createMarker();
	const { recover } = await interrupt(start(`echo ready; sleep 0.3; kill -9 0 # ${marker}`), "stdout", "ready\n");
	assert.ok(await eventually(() => findProcesses(marker).length === 0));
	assert.equal(await recover(), undefined);
});

test("an emit that is refused ends the process and is what the run rejects with", async () => {
	const marker = createMarker();
	const context = createRunContext({ parameters: {} }, { onEmit: () => Promise.reject(new Error("not yours any more")) });
	await assert.rejects(start(`echo x; sleep ${marker}`, context).end, /not yours any more/);
	assert.ok(await eventually(() => findProcesses(marker).length === 0));
});

test("a reused process number is not taken for the process", async () => {
	const { context, end } = start("echo ready; sleep 600");
	await context.waitFor("stdout", "ready\n");
	context.abort("shutdown");
	await end;
	const run = new RunDirectory(join(directory, context.liveaction_id));
	const supervisor = run.readSupervisor();
	assert.ok(supervisor !== undefined);
	const stat = `${process.pid} (node) S ${"0 ".repeat(18)}1 0\n`;
	writeFileSync(run.file("process"), stat);
	assert.equal(await createRuns().recover(context.savedState() ?? {}, createContext(context)), undefined);
	process.kill(-supervisor.pid, "SIGKILL");
});

test("what another host has left is not looked for here", async () => {
	const { context, recover } = await interrupt(start("echo ready; sleep 600"), "stdout", "ready\n");
	assert.equal(await createRuns().recover({ hostname: "elsewhere", boot_id: "1" }, context), undefined);
	const end = recover();
	context.abort("cancel");
	await end;
});

test("a run that nobody follows is ended and removed, one that is followed is left alone", async () => {
	const marker = createMarker();
	const { context, end } = start(`echo ready; sleep ${marker}`);
	await context.waitFor("stdout", "ready\n");
	await createRuns().removeForgotten();
	assert.ok(findProcesses(marker).length > 0);
	context.abort("shutdown");
	await end;
	writeFileSync(join(directory, context.liveaction_id, "holder"), '{"token":"x","pid":1,"startTime":"1"}');
	await createRuns().removeForgotten();
	assert.ok(await eventually(() => findProcesses(marker).length === 0));
	assert.equal(existsSync(join(directory, context.liveaction_id)), false);
});

test("the action's PATH is the action's own", async () => {
	const { context, end } = start("echo $PATH; setsid true || echo no tools", undefined, { PATH: "/nowhere" });
	await end;
	assert.equal(context.text("stdout"), "/nowhere\nno tools\n");
});

test.run();
