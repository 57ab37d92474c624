// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { missing } from "../../core/testing/test-requirements.ts";
import { createBaseEnvironment } from "./environment.ts";
import { createMarker, eventually, findProcesses, runShell, spawners, useLauncher } from "./launcher.test-support.ts";
import type { Launcher } from "./launcher.ts";

/** node-pty is optional; what concerns it alone is tested in process-output. */
const hasTerminals = missing({ package: "node-pty" }) === undefined;

for (const spawner of spawners) {
	const launcher = useLauncher(test, spawner);
	const check = (statement: string, run: (launcher: Launcher) => Promise<void>) => test(`${spawner}: ${statement}`, () => run(launcher));

	/** Abort as soon as the process has printed `ready`. */
	const abortWhenReady = (killGrace: number) => {
		const controller = new AbortController();
		const onStdout = (text: string) => void (text.includes("ready") && controller.abort());
		return { signal: controller.signal, onStdout, killGrace };
	};

	check("exit code and signal are told", async (launcher) => {
		const end = await runShell(launcher, "exit 200");
		assert.deepEqual([end.code, end.signal], [200, null]);
		const killed = await runShell(launcher, "kill -9 $$");
		assert.deepEqual([killed.code, killed.signal], [null, "SIGKILL"]);
	});

	check("SIGPIPE works as usual in what is started", async (launcher) => {
		const end = await runShell(launcher, "yes | head -n 1; trap | grep -c PIPE");
		assert.equal(end.stdout, "y\n0\n");
		assert.equal(end.stderr, "");
	});

	check("an abort ends the whole group at once when it listens to TERM", async (launcher) => {
		const marker = createMarker();
		const end = await runShell(launcher, `sleep ${marker} & echo ready; sleep ${marker}`, abortWhenReady(5_000));
		assert.equal(end.signal, "SIGTERM");
		assert.ok(end.milliseconds < 3_000);
		assert.deepEqual(findProcesses(marker), []);
	});

	check("what ignores TERM is killed after the grace", async (launcher) => {
		const marker = createMarker();
		const end = await runShell(
			launcher,
			`trap '' TERM; sleep ${marker} & echo ready; sleep ${marker}; sleep ${marker}`,
			abortWhenReady(200),
		);
		assert.equal(end.signal, "SIGKILL");
		assert.ok(end.milliseconds < 1_200, `${end.milliseconds} ms`);
		assert.ok(await eventually(() => findProcesses(marker).length === 0));
	});

	check("a background process that ignores TERM and holds no output is killed too", async (launcher) => {
		const marker = createMarker();
		const command = `(trap '' TERM; exec sleep ${marker} >/dev/null 2>&1) & sleep 0.2; echo ready; exec sleep ${marker}`;
		await runShell(launcher, command, abortWhenReady(200));
		assert.ok(await eventually(() => findProcesses(marker).length === 0));
	});

	check("jobs in groups of their own are ended with the session", async (launcher) => {
		const marker = createMarker();
		const command = `set -m; sleep ${marker} >/dev/null 2>&1 & echo ready; sleep ${marker}`;
		await runShell(launcher, command, { ...abortWhenReady(200), file: "/bin/bash", args: ["-c", command] });
		assert.ok(await eventually(() => findProcesses(marker).length === 0));
	});

	check("what has left the session is ended with the execution whose variable it has", async (launcher) => {
		const marker = createMarker();
		const env = { ...createBaseEnvironment(), SVC_ACTION_EXECUTION_ID: marker };
		const command = `(setsid sh -c "trap '' TERM; sleep ${marker}; sleep ${marker}" >/dev/null 2>&1 &); sleep 0.2; echo ready; sleep ${marker}`;
		await runShell(launcher, command, { ...abortWhenReady(200), env });
		assert.ok(await eventually(() => findProcesses(marker).length === 0));
		await runShell(launcher, `(setsid sleep ${marker} &); echo done`, { env });
		assert.ok(await eventually(() => findProcesses(marker).length === 0));
	});

	check("a process may end in its own way within the grace", async (launcher) => {
		let text = "";
		const { signal, killGrace, onStdout } = abortWhenReady(5_000);
		const end = await runShell(launcher, "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done", {
			signal,
			killGrace,
			onStdout(piece) {
				text += piece;
				onStdout(piece);
			},
		});
		assert.equal(end.code, 7);
		assert.equal(text, "ready\nbye\n");
	});

	check("a grandchild that holds the output delays the end by a second at most, and is ended", async (launcher) => {
		const marker = createMarker();
		const end = await runShell(launcher, `sleep ${marker} & echo done`);
		assert.equal(end.stdout, "done\n");
		assert.equal(end.code, 0);
		assert.ok(end.milliseconds < 2_500, `${end.milliseconds} ms`);
		assert.ok(await eventually(() => findProcesses(marker).length === 0));
	});

	check("a grandchild in a session of its own that prints for ever does not hold up the end", async (launcher) => {
		const end = await runShell(launcher, "setsid sh -c 'while echo tick; do sleep 0.05; done' & echo done");
		assert.equal(end.code, 0);
		assert.ok(end.milliseconds < 2_500, `${end.milliseconds} ms`);
	});

	check("what a grandchild still prints right after the end is kept", async (launcher) => {
		const end = await runShell(launcher, "(sleep 0.3; echo late) & echo first");
		assert.equal(end.stdout, "first\nlate\n");
	});

	check("output closed early is not the end of the process", async (launcher) => {
		const end = await runShell(launcher, "exec >&-; sleep 0.2; echo still >&2; exit 6");
		assert.equal(end.stderr, "still\n");
		assert.equal(end.code, 6);
	});

	check("an abort before the start starts nothing", async (launcher) => {
		const end = await runShell(launcher, "echo never", { signal: AbortSignal.abort() });
		assert.equal(end.pid, undefined);
		assert.equal(end.stdout, "");
	});

	check("an abort in the same tick as the start ends it", async (launcher) => {
		for (const pty of hasTerminals ? [false, true] : [false]) {
			const controller = new AbortController();
			const running = runShell(launcher, "sleep 600", { signal: controller.signal, pty });
			controller.abort();
			assert.equal((await running).signal, "SIGTERM");
		}
	});

	check("a failing reader ends the process and is what the run rejects with", async (launcher) => {
		const marker = createMarker();
		const refusal = new Error("not yours any more");
		const onStdout = () => Promise.reject(refusal);
		await assert.rejects(runShell(launcher, `while echo x; do :; done; sleep ${marker}`, { onStdout, killGrace: 200 }), refusal);
		assert.ok(await eventually(() => findProcesses(marker).length === 0));
	});

	check("what cannot be started is told with the member to blame", async (launcher) => {
		const refused = (message: RegExp) => (error: unknown) => isSvcError(error, "SVC_RUNNER") && message.test(error.message);
		await assert.rejects(
			runShell(launcher, "", { file: "/no/such/file" }),
			refused(/^"\/no\/such\/file" cannot be started: it does not exist/),
		);
		await assert.rejects(
			// Directories of a PATH that may not be searched would change the answer.
			runShell(launcher, "", { file: "no-such-program", env: { PATH: "/usr/bin:/bin" } }),
			refused(/^"no-such-program" cannot be started: it does not exist/),
		);
		await assert.rejects(runShell(launcher, "", { file: "/etc/passwd" }), refused(/is not executable/));
		await assert.rejects(runShell(launcher, "true", { cwd: "/no/such/directory" }), refused(/^"cwd": "\/no\/such\/directory"/));
		await assert.rejects(runShell(launcher, "x".repeat(200_000)), refused(/longer than the system allows/));
		assert.equal((await runShell(launcher, "echo next")).stdout, "next\n");
	});

	check("200 processes, many at once, leave no descriptor open in the launcher", async (launcher) => {
		await launcher.start();
		await runShell(launcher, "true");
		const count = async () => Number((await runShell(launcher, `ls /proc/${launcher.pid}/fd | wc -l`)).stdout);
		const before = await count();
		const ends = await Promise.all(
			Array.from({ length: 200 }, (_, index) => runShell(launcher, `echo ${index}`, { pty: hasTerminals && index % 10 === 0 })),
		);
		for (const [index, { stdout }] of ends.entries()) assert.equal(stdout, `${index}\n`);
		// Some belong to an end that is just being worked off, or to pipes made in advance.
		const after = await count();
		assert.ok(after <= before + 40, `${before} before, ${after} after`);
	});
}

test.run();
