import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test as everyTest } from "uvu";
import { createMarker, eventually, findProcesses } from "../../_process/launcher.test-support.ts";
import { pythonScript } from "../index.ts";
import { PythonPack, useRunner, withPython } from "../python-pack.test-support.ts";

// What only a process can do to its runner.
const test = withPython(everyTest);
const pack = new PythonPack(test);
const runner = useRunner(test, pythonScript({ engine: "cpython" }));

test("parameters and token are on no command line", async () => {
	const body = "return [open('/proc/self/cmdline').read(), parameters['password']]";
	const { result } = await runner.run({
		...pack.body("command_line", body),
		actionParameters: { password: "hunter2" },
		packConfig: { key: "config secret" },
		environment: { SVC_ACTION_AUTH_TOKEN: "the token" },
	});
	const [line, password] = result["result"] as [string, string];
	assert.equal(password, "hunter2");
	assert.doesNotMatch(line, /hunter2|config secret|the token/);
});

test("it runs in the pack's directory, and what it starts cannot write the result", async () => {
	const body = `
import subprocess
forge = '(echo "{}" >&3) 2>/dev/null && echo open || echo closed'
return [os.getcwd(), subprocess.run(['sh', '-c', forge], close_fds=False, capture_output=True, text=True).stdout]`;
	const { result } = await runner.run(pack.body("descriptors", body));
	assert.deepEqual(result["result"], [pack.directory, "closed\n"]);
});

test("os._exit ends with its code and without a result", async () => {
	const seven = await runner.run(pack.body("exit_seven", "os._exit(7)"));
	assert.deepEqual([seven.succeeded, seven.result["result"], seven.result["exit_code"]], [false, "None", 7]);
	const zero = await runner.run(pack.body("exit_zero", "os._exit(0)"));
	assert.deepEqual([zero.succeeded, zero.result["result"]], [true, "None"]);
});

test("death by a signal is a failure with its number", async () => {
	const { succeeded, status, result } = await runner.run(pack.body("killed", "os.kill(os.getpid(), 9)"));
	assert.deepEqual([succeeded, status, result["exit_code"]], [false, undefined, -9]);
	assert.equal(result["error"], "the process was ended by signal 9 (SIGKILL), possibly because it ran out of memory");
	const crash = await runner.run(pack.body("crashed", "import ctypes\nctypes.string_at(0)"));
	assert.deepEqual([crash.succeeded, crash.result["exit_code"]], [false, -11]);
});

test("a crash after the return is a failure that keeps the result", async () => {
	const { succeeded, result } = await runner.run(pack.body("late", "import atexit\natexit.register(os._exit, 5)\nreturn 'there'"));
	assert.deepEqual([succeeded, result["result"], result["exit_code"]], [false, "there", 5]);
});

test("one that closed its output early still ends with its result", async () => {
	const body = "os.close(1)\nos.close(2)\nreturn 'silent'";
	const { succeeded, result } = await runner.run(pack.body("closed", body));
	assert.deepEqual([succeeded, result["result"]], [true, "silent"]);
	const objects = await runner.run(pack.body("closed_objects", "sys.stdout.close()\nsys.stderr.close()\nreturn 'silent'"));
	assert.deepEqual([objects.succeeded, objects.result["result"]], [true, "silent"]);
});

test("one that closed the way out of its result fails and says so", async () => {
	const { succeeded, result } = await runner.run(pack.body("closed_all", "os.closerange(3, 100)\nopen('/dev/null')\nreturn 1"));
	assert.equal(succeeded, false);
	assert.match(String(result["stderr"]), /closed descriptor 3/);
});

test("one that writes where its result leaves fails and says so", async () => {
	const { succeeded, result } = await runner.run(pack.body("spoiled", "os.write(3, b'{}')\nreturn 1"));
	assert.deepEqual([succeeded, result["result"]], [false, "None"]);
	assert.match(String(result["error"]), /wrote to descriptor 3/);
});

test("a forked child that comes back from run is not the action", async () => {
	const { result } = await runner.run(
		pack.body("fork", "child = os.fork()\nif child == 0: return 'child'\nos.waitpid(child, 0)\nreturn 'parent'"),
	);
	assert.equal(result["result"], "parent");
});

test("one that was forked twice is ended with the action", async () => {
	const marker = createMarker();
	const body = `
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork() == 0: os.execvp('sleep', ['sleep', '${marker}'])
    os._exit(0)
os.wait()
return 'done'`;
	const { succeeded, result } = await runner.run(pack.body("daemon", body));
	assert.deepEqual([succeeded, result["result"]], [true, "done"]);
	assert.ok(await eventually(() => findProcesses(marker).length === 0));
});

test("one that ignores TERM is killed with what it started", async () => {
	const marker = createMarker();
	const body = `
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(['sleep', '${marker}'])
print('ready')
while True: time.sleep(1)`;
	const run = runner.context(pack.body("stubborn", body));
	const end = runner.run(run);
	await run.waitFor("stdout", "ready\n");
	run.abort("timeout");
	assert.equal((await end).result["exit_code"], -9);
	assert.ok(await eventually(() => findProcesses(marker).length === 0));
});

test("a thread that goes on keeps the action running until it ends", async () => {
	const body = "import threading\nthreading.Thread(target=lambda: (time.sleep(0.2), print('from the thread'))).start()\nreturn 1";
	const { succeeded, result } = await runner.run(pack.body("thread", body));
	assert.deepEqual([succeeded, result["stdout"]], [true, "from the thread\n"]);
});

test("text is UTF-8 whatever the locale", async () => {
	const options = {
		...pack.body("locale", "print('é')\nreturn open('/dev/null').encoding"),
		runnerParameters: { env: { LC_ALL: "C", LANG: "C" } },
	};
	const { result } = await runner.run(options);
	assert.deepEqual([result["stdout"], String(result["result"]).toLowerCase()], ["é\n", "utf-8"]);
});

test("variables that change the interpreter's path leave the runner alone", async () => {
	const body = "return [directory for directory in sys.path if 'python-script' in directory]";
	const { result } = await runner.run({ ...pack.body("safe_path", body), runnerParameters: { env: { PYTHONSAFEPATH: "1" } } });
	assert.deepEqual(result["result"], [], String(result["stderr"]));
});

test("a result beyond all measure ends the run with the reason", async () => {
	await assert.rejects(runner.run(pack.body("measureless", "return 'x' * 70_000_000")), /the result is longer than 64 MiB/);
});

test("a missing entry point and a bad variable are told by name", async () => {
	await assert.rejects(runner.run({}), /entry_point: required/);
	await assert.rejects(runner.run({ entryPoint: join(pack.directory, "gone.py") }), /gone\.py" does not exist/);
	await assert.rejects(
		runner.run({ ...pack.body("env", "pass"), runnerParameters: { env: { "a=b": 1 } } }),
		/"a=b" is not a valid variable name/,
	);
});

test("the Python half writes nothing into the pack", () => {
	assert.throws(() => readFileSync(join(pack.directory, "actions", "__pycache__")), { code: "ENOENT" });
});

everyTest.run();
