// test-waits
// test-suite: full
import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { test as everyTest } from "uvu";
import type { Runner, SensorTrigger } from "../../../core/contract/index.ts";
import { silentLogger } from "../../../core/testing/run-context.ts";
import { createSensorHost } from "../../../core/testing/sensor-host.ts";
import { createMarker, eventually, findProcesses, keepLauncher } from "../../_process/launcher.test-support.ts";
import { PythonPack, withPython } from "../python-pack.test-support.ts";
import { pythonSource } from "../python-source.ts";
import { toSensorLine } from "./sensor-request.ts";
import {
	type SensorTest,
	type StartedSensor,
	startSensorRunner,
	toSensor,
	useSensor,
	withSensorRunner,
} from "./sensor-run.test-support.ts";

const test = withPython(everyTest);
keepLauncher(test, { nodeId: "kept", logger: silentLogger });
let runner: Runner;
test.after(() => runner?.stop?.());
const pack = new PythonPack(test);
test.before(async () => {
	runner = await startSensorRunner(pack);
});

const waits = "def run(self):\n    while True: time.sleep(0.02)\n";

/** Run a sensor whose class has this body. */
function withSensor(body: string, use: (test: SensorTest) => Promise<void>, base?: string): Promise<void> {
	return useSensor(pack, runner, toSensor(body, base), use);
}

/** Wait for a text in the log, or fail with what there is. */
async function says({ texts, ended }: StartedSensor, text: string): Promise<void> {
	let problem: unknown;
	ended.catch((error: unknown) => {
		problem = error;
	});
	const isThere = await eventually(() => texts().some((line) => line.includes(text)) || problem !== undefined, 15_000);
	assert.ok(isThere && texts().some((line) => line.includes(text)), `not said: ${text}; ${String(problem)}\n${texts().join("\n")}`);
}

test("a sensor dispatches events, each on disk before it goes on", () =>
	withSensor(
		`
def setup(self):
    self.logger = self.sensor_service.get_logger(name="watch")
def run(self):
    ids = [self.sensor_service.dispatch(trigger="tests.seen", payload={"n": n}, trace_tag="round") for n in range(3)]
    ids.append(self.sensor_service.dispatch({"ref": "tests.other", "parameters": {}}))
    ids.append(self.sensor_service.dispatch({"type": "tests.wanted", "parameters": {"what": "x"}}, {"é": [1.5, None, {1}]}))
    ids.append(self.sensor_service.dispatch_with_context("tests.seen", {"nan": float("nan")}, {"trace_tag": "other"}))
    class Context: id_, trace_tag = "0123", None
    ids.append(self.sensor_service.dispatch_with_context({"name": "seen", "pack": "tests"}, trace_context=Context()))
    self.logger.info("dispatched %s", ids)
`,
		async ({ start }) => {
			const sensor = start();
			await sensor.ended;
			assert.deepEqual(sensor.host.dispatched, [
				...[0, 1, 2].map((n) => ({ trigger: "tests.seen", payload: { n }, traceTag: "round" })),
				{ trigger: "tests.other", payload: {} },
				{ trigger: { type: "tests.wanted", parameters: { what: "x" } }, payload: { é: [1.5, null, [1]] } },
				{ trigger: "tests.seen", payload: { nan: null }, traceTag: "other" },
				{ trigger: "tests.seen", payload: {}, traceId: "0123" },
			]);
			const [line] = sensor.lines;
			assert.deepEqual(line, {
				level: "info",
				message: "sensor says",
				fields: { logger: "watch", text: "dispatched ['1', '2', '3', '4', '5', '6', '7']" },
			});
		},
	));

test("it has configuration, interval, the modules of its pack and its own folder, and no secret but its own token", () => {
	pack.write("actions/lib/shared.py", "name = 'shared'\n");
	pack.write("sensors/beside.py", "name = 'beside'\n");
	const environment = { SVC_ACTION_API_URL: "http://127.0.0.1:1/v1", SVC_ACTION_AUTH_TOKEN: "its own" };
	return withSensor(
		`
def __init__(self, sensor_service, config, poll_interval=5):
    super().__init__(sensor_service=sensor_service, config=config, poll_interval=poll_interval)
def poll(self):
    import shared, beside
    self._sensor_service.dispatch("tests.seen", {
        "config": self._config["key"], "interval": self.get_poll_interval(), "modules": [shared.name, beside.name], "cwd": os.getcwd(),
        "secrets": sorted((name, os.environ[name]) for name in os.environ if "TOKEN" in name or "API_URL" in name), "input": sys.stdin.read(), "user": self.sensor_service.get_user_info(),
    })
    try:
        self.config["missing"]
    except KeyError as error:
        self.sensor_service.dispatch("tests.seen", {"problem": str(error)})
    sys.exit(0)
`,
		async ({ start }) => {
			const { ended, host } = start({ packConfig: { key: "value" }, poll_interval: 30, environment });
			await ended;
			assert.deepEqual(host.dispatched[0]?.payload, {
				config: "value",
				interval: 30,
				modules: ["shared", "beside"],
				cwd: pack.directory,
				secrets: [
					["SVC_ACTION_API_URL", "http://127.0.0.1:1/v1"],
					["SVC_ACTION_AUTH_TOKEN", "its own"],
					["SVC_API_URL", "http://127.0.0.1:1/v1"],
					["SVC_AUTH_TOKEN", "its own"],
				],
				input: "",
				user: { username: "svc", authentication: { method: "none" }, rbac: { enabled: false, roles: [], is_admin: true } },
			});
			assert.match(String(host.dispatched[1]?.payload["problem"]), /the configuration of pack "tests" has no key 'missing'/);
		},
		"PollingSensor",
	);
});

test("what has left its session is ended with it", () => {
	const marker = createMarker();
	return withSensor(
		`
def run(self):
    import subprocess
    subprocess.Popen(["sleep", "${marker}"], start_new_session=True)
    self.sensor_service.dispatch("tests.seen")
    while True: time.sleep(0.02)
`,
		async ({ start }) => {
			const { host, stop } = start();
			await host.waitFor(1);
			assert.ok(await eventually(() => findProcesses(marker).length === 1));
			await stop();
			assert.ok(await eventually(() => findProcesses(marker).length === 0));
		},
	);
});

test("a polling sensor looks again and again", () =>
	withSensor(
		`
def poll(self):
    self.set_poll_interval(0.01)
    self.sensor_service.dispatch("tests.seen")
`,
		async ({ start }) => {
			const { host } = start();
			await host.waitFor(5);
		},
		"PollingSensor",
	));

test("what it keeps outlives its runs, and items of others are reached by their names", () =>
	withSensor(
		`
def run(self):
    service = self.sensor_service
    result = [service.get_value("last"), service.set_value("last", 7), service.get_value("last"), service.set_value("a", "b", ttl=5, encrypt=True)]
    result.append([(item.name, item.value) for item in service.list_values(prefix="l", limit=5)])
    result.append([service.delete_value("last"), service.delete_value("last")])
    result.append([service.get_value("site", local=False), service.set_value("told", "yes", local=False)])
    result.append([(item.name, item.value) for item in service.datastore_service.list_values(local=False)])
    try:
        service.get_value("x", scope="user")
    except ValueError as error:
        result.append(str(error))
    service.dispatch("tests.seen", {"result": result})
`,
		async ({ start }) => {
			const { ended, host } = start();
			host.others.set("site", "here");
			await ended;
			assert.deepEqual(host.dispatched[0]?.payload["result"], [
				null,
				true,
				"7",
				true,
				[["tests.Test:last", "7"]],
				[true, false],
				["here", true],
				[
					["site", "here"],
					["told", "yes"],
				],
				"scope 'user' cannot be used by sensors: only system can",
			]);
			assert.deepEqual([...host.items], [["a", "b"]]);
		},
	));

const trigger = (ref: string, what: string): SensorTrigger => ({ ref, type: "tests.wanted", parameters: { what } });

test("triggers that are there are told of before it runs, later ones while it does", () =>
	withSensor(
		`
def setup(self): print("setup")
def add_trigger(self, trigger): print("add", trigger["ref"], trigger["pack"], trigger["name"], trigger["type"], trigger["parameters"]["what"])
def update_trigger(self, trigger): print("update", trigger["ref"], trigger["parameters"]["what"])
def remove_trigger(self, trigger): print("remove", trigger["ref"])
def run(self):
    print("run")
    while True: time.sleep(0.02)
`,
		async ({ start }) => {
			const first = trigger("tests.one", "a");
			const sensor = start({ triggers: [first] });
			await says(sensor, "run");
			sensor.host.setTriggers([first, trigger("tests.two", "b")]);
			await says(sensor, "add tests.two");
			sensor.host.setTriggers([trigger("tests.one", "c")]);
			await says(sensor, "update tests.one c");
			assert.deepEqual(sensor.texts(), [
				"setup",
				"add tests.one tests one tests.wanted a",
				"run",
				"add tests.two tests two tests.wanted b",
				"remove tests.two",
				"update tests.one c",
			]);
		},
	));

test("a trigger that it cannot take ends it as failed, as it would never be watched otherwise", () =>
	withSensor(
		`def add_trigger(self, trigger): raise ValueError("cannot watch " + trigger["parameters"]["what"])\n${waits}`,
		async ({ start }) => {
			await assert.rejects(start({ triggers: [trigger("tests.one", "a")] }).ended, /ValueError: cannot watch a/);
			const later = start();
			later.host.setTriggers([trigger("tests.one", "b")]);
			await assert.rejects(later.ended, /exit code 1: [^]*ValueError: cannot watch b/);
		},
	));

test("what it prints goes to the log, line by line, and so does what its loggers write, with their levels", () =>
	withSensor(
		`
def run(self):
    import logging
    print("one\\ntwo")
    print("wrong", file=sys.stderr)
    os.system("echo from a program")
    log = self.sensor_service.get_logger("x")
    for level in ("debug", "info", "warning", "error"): getattr(log, level)("%s", level)
    logging.getLogger("library").warning("of a library")
    logging.getLogger("library").info("not wanted")
    print("end", end="")
`,
		async ({ start }) => {
			const sensor = start();
			await sensor.ended;
			const of = (message: string) =>
				sensor.lines.filter((line) => line.message === message).map(({ level, fields }) => [level, fields["text"]]);
			assert.deepEqual(
				new Set(of("sensor prints").map(String)),
				new Set(["info,one", "info,two", "info,from a program", "info,end", "warn,wrong"]),
			);
			assert.deepEqual(of("sensor says"), [
				["debug", "debug"],
				["info", "info"],
				["warn", "warning"],
				["error", "error"],
				["warn", "of a library"],
			]);
		},
	));

test("an exception is a failure with the end of its traceback, by the pack's own paths", () =>
	withSensor('def run(self):\n    raise ValueError("no such device")\ndef cleanup(self): print("cleaned")\n', async ({ start }) => {
		const sensor = start();
		await assert.rejects(sensor.ended, (error: Error) => {
			assert.match(error.message, /^it ended with exit code 1: Traceback[^]*File "sensors\/test\.py"[^]*ValueError: no such device$/);
			assert.ok(!error.message.includes(pack.directory));
			return true;
		});
		assert.ok(sensor.texts().includes("cleaned"));
	}));

const broken: readonly [what: string, text: string, message: RegExp][] = [
	["has no class of that name", "class Other: pass\n", /defines no class Test/],
	["cannot be read", "class Test(:\n", /SyntaxError/],
	["lacks a module", "import no_such_module_at_all\n", /ModuleNotFoundError: No module named 'no_such_module_at_all'/],
	["has no method run", toSensor("x = 1"), /NotImplementedError: class Test has no method run/],
	["fails in its setup", toSensor('def setup(self): raise OSError("closed")'), /OSError: closed/],
	["ends by a signal", toSensor("def run(self): os.kill(os.getpid(), 9)"), /exit code -9/],
	["exits with a code", toSensor("def run(self): sys.exit(7)"), /exit code 7/],
	[
		"writes where it talks to the service",
		toSensor('def run(self):\n    os.write(3, b"hello\\n")\n    time.sleep(60)'),
		/wrote to descriptor 3/,
	],
	[
		"writes a line without end there",
		toSensor("def run(self):\n    while True: os.write(3, b'x' * 65536)"),
		// What the driver itself says at that moment ends the line.
		/a line of more than 4194304 bytes|wrote to descriptor 3/,
	],
];

for (const [what, text, message] of broken) {
	test(`a sensor that ${what} fails and says so`, () =>
		useSensor(pack, runner, text, async ({ start }) => {
			await assert.rejects(start().ended, message);
		}));
}

test("what the service refuses is an exception, and the sensor goes on", () =>
	withSensor(
		`
def run(self):
    service = self.sensor_service
    problems = []
    for call in (lambda: service.dispatch("tests.seen", [1]), lambda: service.dispatch(7), lambda: service.dispatch("a", {"x": "y" * 5000000}),
                 lambda: service.set_value(1, "x"), lambda: service._host.call("stop"), lambda: service._host.call("__proto__")):
        try:
            call()
        except Exception as error:
            problems.append(str(error))
    service.dispatch("tests.seen", {"problems": problems})
`,
		async ({ start }) => {
			const { ended, host } = start();
			await ended;
			assert.deepEqual(host.dispatched[0]?.payload["problems"], [
				"payload must be a dict, not list",
				"trigger must be a ref, or a dict with ref, with type and parameters, or with name and pack",
				"5000106 bytes are more than the 4194304 that can be told at once",
				"name: must be a string",
				'method: unknown method "stop"',
				'method: unknown method "__proto__"',
			]);
		},
	));

test("an abort cleans up and ends at once, also where it waits in a thread of its own or in a poll", () =>
	withSensor(
		`
def setup(self):
    import threading
    threading.Thread(target=lambda: time.sleep(600)).start()
def run(self):
    print("ready")
    time.sleep(600)
def cleanup(self):
    print("cleaned")
    self.sensor_service.dispatch("tests.seen", {"last": True})
`,
		async ({ start }) => {
			const sensor = start();
			await says(sensor, "ready");
			assert.ok((await sensor.stop()) < 1_500);
			assert.ok(sensor.texts().includes("cleaned"));
			assert.deepEqual(sensor.host.dispatched.at(-1)?.payload, { last: true }, "its last words count");
		},
	));

test("one that catches everything is cleaned up all the same", () =>
	withSensor(
		'def run(self):\n    print("ready")\n    while True:\n        try: time.sleep(600)\n        except BaseException: print("caught")\ndef cleanup(self): print("cleaned")\n',
		async ({ start }) => {
			const sensor = start();
			await says(sensor, "ready");
			assert.ok((await sensor.stop()) < 3_000);
			assert.ok(sensor.texts().includes("cleaned"), sensor.texts().join());
		},
	));

test("one that does not end is killed with everything it started", async () => {
	const mark = createMarker();
	await withSensorRunner(pack, { grace: 2 }, (hasty) =>
		useSensor(
			pack,
			hasty,
			toSensor(
				`def run(self):\n    import subprocess\n    subprocess.Popen(["sleep", "${mark}"])\n    print("ready")\n    while True: time.sleep(0.1)\ndef cleanup(self):\n    while True: time.sleep(1)\n`,
			),
			async ({ start }) => {
				const sensor = start();
				await says(sensor, "ready");
				assert.ok((await sensor.stop()) < 4_000);
				assert.deepEqual(findProcesses(mark), []);
			},
		),
	);
});

test("a sensor that nobody is left to end notices it, cleans up and ends", async () => {
	const mark = join(pack.directory, "cleaned");
	const body = `def setup(self): print("ready", flush=True)\ndef cleanup(self): open(${JSON.stringify(mark)}, "w").close()\n${waits}`;
	await useSensor(pack, runner, toSensor(body), async ({ definition }) => {
		const request = toSensorLine({
			...{ ref: definition.ref, pack: definition.pack, className: definition.name },
			...{
				entryPoint: definition.entryPoint,
				packDirectory: definition.packDirectory,
				config: {},
				pollInterval: undefined,
				libraries: [],
				pythonPaths: [],
			},
			settings: { logLevel: "DEBUG", grace: 0, user: {} },
		});
		const child = spawn("python3", ["-u", join(pythonSource, "run_sensor.py")], { stdio: ["pipe", "pipe", "inherit", "pipe"] });
		child.stdin?.write(`${request}{"number":1,"changes":[]}\n`);
		await once(child.stdout as Readable, "data");
		const exited = once(child, "exit");
		// As with the launcher, and whoever would end the sensor in its place, killed at once.
		child.stdin?.destroy();
		await exited;
		assert.ok(existsSync(mark));
	});
});

test("a flood of events is held back, and none is lost", () =>
	withSensor(
		`
def run(self):
    import threading
    def flood(start):
        for n in range(100): self.sensor_service.dispatch("tests.seen", {"n": start + n})
    threads = [threading.Thread(target=flood, args=(part * 100,)) for part in range(40)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
`,
		async ({ definition, runner }) => {
			const host = createSensorHost();
			const seen = new Set<unknown>();
			let active = 0;
			let most = 0;
			const context = {
				...host.createContext(),
				async dispatch(_trigger: unknown, payload: { readonly [name: string]: unknown }) {
					active += 1;
					most = Math.max(most, active);
					await new Promise((resolve) => setImmediate(resolve));
					seen.add(payload["n"]);
					active -= 1;
					return "id";
				},
			};
			await runner.packSensors?.create(definition).run(context as never);
			assert.equal(seen.size, 4_000);
			assert.ok(most <= 16, `${most} at a time`);
		},
	));

test("a flood of output does not hold the service up, comes in larger pieces, and ends with the sensor", () =>
	withSensor('def run(self):\n    print("y" * 100000)\n    while True: print("x")\n', async ({ start }) => {
		const sensor = start();
		await says(sensor, "x");
		let longest = 0;
		const end = performance.now() + 1_500;
		while (performance.now() < end) {
			const begin = performance.now();
			await new Promise((resolve) => setTimeout(resolve, 5));
			longest = Math.max(longest, performance.now() - begin);
		}
		assert.ok(longest < 300, `${longest} ms`);
		assert.ok((await sensor.stop()) < 4_000);
		assert.ok(sensor.lines.length < 700, `${sensor.lines.length} lines`);
		assert.ok(sensor.texts().every((text) => text.length <= 8_000));
	}));

test("a process forked from it cannot speak for it", () =>
	withSensor(
		`
def run(self):
    child = os.fork()
    if child == 0:
        try:
            self.sensor_service.dispatch("tests.seen", {"from": "child"})
        except Exception as error:
            print(error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
`,
		async ({ start }) => {
			const sensor = start();
			await sensor.ended;
			assert.deepEqual(sensor.host.dispatched, []);
			assert.match(sensor.texts().join(), /only the process that the service has started can reach it/);
		},
	));

test("on a node that runs pyodide only a sensor is refused by name", () =>
	withSensorRunner(pack, { options: { engine: "pyodide" } }, (other) =>
		useSensor(pack, other, toSensor(waits), async ({ start }) => {
			await assert.rejects(start().ended, /require the Python engine cpython, but this node is configured to use only pyodide/);
		}),
	));

everyTest.run();
