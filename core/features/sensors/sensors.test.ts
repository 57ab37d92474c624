import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "uvu";
import { defineRunner, defineSensor, type SensorPlugin, type SensorTrigger } from "../../contract/index.ts";
import { createBackend } from "../../testing/backends/backend.test-support.ts";
import { principal, startEngine } from "../../testing/engine/engine.test-support.ts";
import { toProgram } from "../../testing/program.test-support.ts";
import { watchStrays } from "../../testing/test-guard.ts";
import { GuardedSensorRun } from "./guarded-sensor-run.ts";
import { aborted, createScripted, type ScriptedSensor, type SensorEngine, startWith, until } from "./sensors.test-support.ts";
import { handleUncaughtSensorErrors as watchSensorStrays } from "./uncaught-sensor-errors.ts";

async function withSensor(
	scripted: ScriptedSensor,
	use: (service: SensorEngine) => Promise<void>,
	options: Parameters<typeof startWith>[1] = {},
): Promise<void> {
	const service = await startWith(scripted.plugin, options);
	try {
		await use(service);
	} finally {
		await service.stop();
	}
	assert.ok(scripted.most() <= 1, "two runs at a time");
}

test("a sensor runs, its trigger types are known, and what it dispatches becomes trigger instances", async () => {
	const ids: unknown[] = [];
	const scripted = createScripted(async (context) => {
		ids.push(await context.dispatch("tests.seen", { n: 1 }, { traceTag: "round" }));
		ids.push(await context.dispatch("tests.seen", { n: 2 }, { uniqueKey: "two" }));
		ids.push(await context.dispatch("tests.seen", { n: 2 }, { uniqueKey: "two" }));
		ids.push(await context.dispatch("tests.seen", { n: "no integer" }));
		ids.push(await context.dispatch("tests.unknown", {}));
		await aborted(context);
	});
	await withSensor(scripted, async ({ engine, becomes, payloads }) => {
		await until(() => ids.length === 5);
		assert.equal(ids[1], ids[2]);
		assert.deepEqual(ids.slice(3), [undefined, undefined], "an event that nobody can take is dropped, and the sensor goes on");
		assert.deepEqual(await payloads("tests.seen"), [{ n: 1 }, { n: 2 }]);
		const { trace_id } = await engine.triggers.instances.get(String(ids[0]));
		assert.equal((await engine.traces.get(trace_id)).trace.trace_tag, "round");
		const sensor = await becomes(({ state }) => state === "running");
		assert.deepEqual(sensor.trigger_types, ["tests.seen", "tests.wanted"]);
		assert.equal(sensor.owner, engine.nodeId);
		assert.equal((await engine.triggers.types.get("tests.seen")).description, "Something was seen.");
	});
});

test("an event joins the trace that it names, and is dropped where there is none", async () => {
	const ids: (string | undefined)[] = [];
	let trace: string | undefined;
	const scripted = createScripted(async (context) => {
		const [first, later] = [await context.dispatch("tests.seen", { n: 1 }, { traceTag: "round" }), { traceTag: "ignored" }];
		ids.push(first);
		await until(() => trace !== undefined);
		ids.push(await context.dispatch("tests.seen", { n: 2 }, { ...later, traceId: String(trace) }));
		ids.push(await context.dispatch("tests.seen", { n: 3 }, { traceId: "5e0000000000000000000000" }));
		await aborted(context);
	});
	await withSensor(scripted, async ({ engine }) => {
		await until(() => ids.length === 1);
		trace = (await engine.triggers.instances.get(String(ids[0]))).trace_id;
		await until(() => ids.length === 3);
		assert.equal((await engine.triggers.instances.get(String(ids[1]))).trace_id, trace);
		assert.equal(ids[2], undefined);
	});
});

test("start and end are told by triggers with a flat payload", async () => {
	const scripted = createScripted(async (_context, attempt) => {
		if (attempt === 1) throw new Error("broken");
	});
	await withSensor(scripted, async ({ payloads, becomes }) => {
		await until(async () => (await payloads("core.svc.sensor.process_exit")).length === 2);
		await becomes(({ state }) => state === "stopped");
		const [spawn] = (await payloads("core.svc.sensor.process_spawn")) as [Record<string, unknown>];
		assert.deepEqual(Object.keys(spawn).sort(), ["cmd", "id", "pid", "timestamp"]);
		assert.equal(spawn["id"], "watcher");
		assert.equal(spawn["cmd"], "sensor tests.watcher");
		assert.ok(Math.abs(Number(spawn["timestamp"]) - Date.now() / 1_000) < 60);
		const exits = (await payloads("core.svc.sensor.process_exit")) as Record<string, unknown>[];
		assert.deepEqual(
			exits.map(({ exit_code }) => exit_code),
			[1, 0],
		);
	});
});

test("a sensor that fails at once is started again with growing pauses, and says when and why", async () => {
	const scripted = createScripted(async () => {
		throw new Error("no such device");
	});
	await withSensor(
		scripted,
		async ({ becomes }) => {
			const begin = performance.now();
			const waiting = await becomes(({ state, restarts }) => state === "waiting" && restarts === 3);
			assert.equal(waiting.last_error, "no such device");
			assert.ok(Date.parse(String(waiting.next_start_at)) > Date.parse(waiting.state_changed_at));
			await becomes(({ restarts }) => restarts >= 5);
			// 50 + 100 + 200 + 400 milliseconds lie between five starts.
			assert.ok(performance.now() - begin > 600, "it did not pause");
			assert.ok(scripted.runs.length <= 8);
		},
		{ options: { sensorcontainer: { max_restarts: -1 } } },
	);
});

test("a sensor that fails time after time is given up, says so, and begins anew when it is switched off and on", async () => {
	const scripted = createScripted(async (context, attempt) => {
		if (attempt <= 6) throw new Error(`failure ${attempt}`);
		await aborted(context);
	});
	await withSensor(scripted, async ({ engine, becomes, sensor }) => {
		const failed = await becomes(({ state }) => state === "failed");
		assert.deepEqual([failed.last_error, failed.restarts, failed.next_start_at, failed.owner], ["failure 3", 3, null, engine.nodeId]);
		// Longer than the pause before a fourth start would be.
		await new Promise((resolve) => setTimeout(resolve, 600));
		assert.deepEqual([scripted.runs.length, (await sensor()).state], [3, "failed"]);
		for (const enabled of [false, true]) {
			await engine.sensorTypes.setEnabled("tests.watcher", enabled);
			if (!enabled) assert.equal((await becomes(({ owner }) => owner === null)).last_error, "failure 3");
		}
		await becomes(({ state, last_error }) => state === "failed" && last_error === "failure 6");
		await engine.sensorTypes.setEnabled("tests.watcher", false);
		await becomes(({ owner }) => owner === null);
		await engine.sensorTypes.setEnabled("tests.watcher", true);
		await becomes(({ state }) => state === "running");
	});
});

test("a sensor that a node has given up begins anew with the next start of the service", async () => {
	const { storage, eventBus, release } = createBackend({ durable: true });
	try {
		const broken = createScripted(() => Promise.reject(new Error("broken")));
		await withSensor(broken, async ({ becomes }) => void (await becomes(({ state }) => state === "failed")), { storage, eventBus });
		const again = createScripted(() => Promise.reject(new Error("still broken")));
		await withSensor(again, async ({ becomes }) => void (await becomes(({ state, restarts }) => state === "failed" && restarts === 3)), {
			...{ storage, eventBus },
		});
		assert.deepEqual([broken.runs.length, again.runs.length], [3, 3]);
	} finally {
		await release();
	}
});

test("a promise that a sensor leaves to itself fails the sensor when it is rejected, and ends nothing else", async () => {
	const leave = async (what: string) => {
		await new Promise((resolve) => setTimeout(resolve, 1));
		throw new Error(what);
	};
	let refused = 0;
	const scripted = createScripted(async (context, attempt) => {
		if (attempt === 1) void leave("of a timer");
		else if (attempt === 2) void context.state.set("a name that is too long ".repeat(100), "1");
		else context.signal.addEventListener("abort", () => void leave("at its end"));
		await aborted(context);
		if (attempt < 3) await context.dispatch("tests.seen", { n: attempt }).catch(() => (refused += 1));
	});
	await withSensor(scripted, async ({ engine, becomes, payloads }) => {
		const first = await becomes(({ restarts }) => restarts === 1);
		assert.equal(first.last_error, "a rejected promise was not handled: of a timer");
		const second = await becomes(({ restarts, state }) => restarts === 2 && state === "running");
		assert.match(String(second.last_error), /^a rejected promise was not handled: .*name/);
		await until(() => scripted.runs.length === 3);
		await engine.sensorTypes.setEnabled("tests.watcher", false);
		await becomes(({ owner }) => owner === null);
		assert.equal(refused, 2);
		assert.deepEqual(await payloads("tests.seen"), []);
	});
});

test("what a sensor throws in callbacks of timers, emitters and processes fails the sensor, and ends nothing else", async () => {
	const rise = (what: string) => () => {
		throw new Error(what);
	};
	let refused = 0;
	const begin: (() => void)[] = [];
	const scripted = createScripted(async (context, attempt) => {
		await new Promise<void>((resolve) => begin.push(resolve));
		const timer = attempt === 1 ? setInterval(rise("of a timer"), 1) : undefined;
		if (attempt === 2) execFile("true", rise("of a process"));
		if (attempt === 3) setTimeout(() => new EventEmitter().emit("error", new Error("of an emitter")), 1);
		if (attempt === 4) context.signal.addEventListener("abort", rise("at its end"));
		await aborted(context);
		clearInterval(timer);
		if (attempt < 4) await context.dispatch("tests.seen", { n: attempt }).catch(() => (refused += 1));
	});
	const fails = async ({ becomes }: SensorEngine, attempt: number) => {
		await until(() => begin.length === attempt);
		begin[attempt - 1]?.();
		return (await becomes((sensor) => sensor.restarts === attempt && sensor.state === "running")).last_error;
	};
	await withSensor(
		scripted,
		async (service) => {
			const errors: unknown[] = [];
			for (const attempt of [1, 2, 3]) errors.push(await fails(service, attempt));
			const what = "an error thrown by a callback was not caught";
			assert.deepEqual(errors, [`${what}: of a timer`, `${what}: of a process`, `${what}: of an emitter`]);
			await until(() => begin.length === 4);
			begin[3]?.();
			await service.engine.sensorTypes.setEnabled("tests.watcher", false);
			await service.becomes(({ owner }) => owner === null);
			assert.equal(refused, 3);
			assert.deepEqual(await service.payloads("tests.seen"), []);
		},
		{ options: { sensorcontainer: { max_restarts: 5 } } },
	);
});

test("a sensor that throws again and again, also after its end, does not fill the log", async () => {
	const strays = watchSensorStrays();
	const told: unknown[] = [];
	const guard = new GuardedSensorRun({ signal: new AbortController().signal, isHeld: () => true }, ({ reason }) => told.push(reason));
	let thrown = 0;
	let timer: NodeJS.Timeout | undefined;
	try {
		const run = guard.run(async () => {
			timer = setInterval(() => {
				thrown += 1;
				throw new Error(`error ${thrown}`);
			}, 1);
			await new Promise((resolve) => guard.signal.addEventListener("abort", resolve));
		});
		await assert.rejects(run, /error 1$/);
		guard.end();
		await until(() => thrown > 50);
	} finally {
		clearInterval(timer);
		strays.end();
	}
	assert.equal(told.length, 10);
});

test("an exception of the service ends the process while sensors run, with the words and the exit code that it has without them", async () => {
	const program = toProgram("./left-errors.test-support", import.meta.url);
	const end = await promisify(execFile)(process.execPath, program).catch((error: unknown) => error as Record<string, unknown>);
	const { code, stdout, stderr } = end as Record<string, unknown>;
	assert.deepEqual([code, stdout], [1, "an error thrown by a callback was not caught: of a sensor\n"]);
	assert.match(String(stderr), /Error: of the service/);
});

test("what a sensor has caused in the service is no work of the sensor", async () => {
	const failing = defineRunner("failing", () => ({
		description: "Leaves a promise to itself.",
		capabilities: { streaming: false, cancellation: false },
		parameters: {},
		async run() {
			void Promise.reject(new Error("of the service"));
			return { succeeded: true, result: {} };
		},
	}));
	let dispatch = () => {};
	const scripted = createScripted(async (context) => {
		await new Promise<void>((resolve) => (dispatch = resolve));
		await context.dispatch("tests.seen", { n: 1 });
		await aborted(context);
	});
	const strays = watchStrays();
	let left: readonly unknown[] = [];
	try {
		await withSensor(
			scripted,
			async ({ engine, sensor, settled }) => {
				await engine.actions.create({ name: "failing", runner_type: "failing" });
				const rule = { name: "fail", pack: "default", enabled: true, trigger: { type: "tests.seen" }, action: { ref: "default.failing" } };
				await engine.rules.create(rule, principal);
				await until(() => scripted.active() === 1);
				dispatch();
				let id: string | undefined;
				await until(async () => {
					const { items } = await engine.executions.list({ filter: { action_ref: "default.failing" } });
					id = items[0]?.entity.id;
					return id !== undefined;
				});
				await settled(String(id));
				assert.equal(scripted.runs[0]?.signal.aborted, false);
				assert.equal((await sensor()).last_error, null);
			},
			{ runners: [failing()] },
		);
	} finally {
		left = strays.end();
	}
	assert.match(String(left[0]), /of the service/);
});

test("a promise that the service leaves to itself ends the process, also while sensors run", async () => {
	const scripted = createScripted(aborted);
	await withSensor(scripted, async () => {
		await until(() => scripted.active() === 1);
		const ended = new Promise((resolve) => process.once("uncaughtException", resolve));
		void Promise.reject(new Error("of the service"));
		assert.match(String(await ended), /of the service/);
	});
});

test("a sensor that has run well for a while begins to count anew", async () => {
	let fail = () => {};
	const scripted = createScripted((context, attempt) =>
		attempt < 3
			? Promise.reject(new Error(`failure ${attempt}`))
			: Promise.race([
					aborted(context),
					new Promise<void>((_, reject) => {
						fail = () => reject(new Error("late"));
					}),
				]),
	);
	await withSensor(
		scripted,
		async ({ becomes }) => {
			await becomes(({ restarts, state }) => restarts === 2 && state === "running");
			await becomes(({ restarts, state }) => restarts === 0 && state === "running");
			fail();
			assert.equal((await becomes(({ last_error }) => last_error === "late")).restarts, 1);
		},
		{ options: { sensorcontainer: { restart_reset: 0.3 } } },
	);
});

test("a sensor that has nothing more to do rests until it is switched on again", async () => {
	const scripted = createScripted(async () => {});
	await withSensor(scripted, async ({ engine, becomes }) => {
		await until(() => scripted.runs.length === 1);
		await becomes(({ state, owner }) => state === "stopped" && owner !== null);
		assert.equal(scripted.runs.length, 1);
		await engine.sensorTypes.setEnabled("tests.watcher", false);
		await becomes(({ owner }) => owner === null);
		await engine.sensorTypes.setEnabled("tests.watcher", true);
		await until(() => scripted.runs.length === 2);
	});
});

test("a sensor is switched off and on while the service runs", async () => {
	const scripted = createScripted(aborted);
	await withSensor(scripted, async ({ engine, becomes }) => {
		await until(() => scripted.active() === 1);
		assert.equal((await engine.sensorTypes.setEnabled("tests.watcher", false)).enabled, false);
		const off = await becomes(({ state }) => state === "stopped");
		assert.equal(off.owner, null);
		assert.equal(scripted.active(), 0);
		await assert.rejects(scripted.runs[0]?.dispatch("tests.seen", { n: 1 }) ?? Promise.resolve(), { code: "SVC_CONFLICT" });
		await engine.sensorTypes.setEnabled("tests.watcher", true);
		await until(() => scripted.active() === 1);
		assert.equal(scripted.runs.length, 2);
	});
});

test("a sensor that waits to be started again is switched off at once", async () => {
	const scripted = createScripted(async () => {
		throw new Error("broken");
	});
	await withSensor(
		scripted,
		async ({ engine, becomes }) => {
			await becomes(({ state }) => state === "waiting");
			await engine.sensorTypes.setEnabled("tests.watcher", false);
			const off = await becomes(({ state }) => state === "stopped");
			assert.equal(off.next_start_at, null);
			assert.equal(off.last_error, "broken", "what went wrong stays to be read");
		},
		{ options: { sensorcontainer: { restart_delay: 60, max_restart_delay: 60 } } },
	);
});

test("a sensor that does not end holds nothing up, and no second run begins beside it", async () => {
	let end = () => {};
	const scripted = createScripted((_context, attempt) =>
		attempt === 1
			? new Promise<void>((resolve) => {
					end = resolve;
				})
			: aborted(_context),
	);
	await withSensor(scripted, async ({ engine, becomes }) => {
		await until(() => scripted.active() === 1);
		await engine.sensorTypes.setEnabled("tests.watcher", false);
		const failed = await becomes(({ state }) => state === "failed");
		assert.match(String(failed.last_error), /did not end within 0.2 s/);
		await assert.rejects(scripted.runs[0]?.state.set("a", "1") ?? Promise.resolve(), { code: "SVC_CONFLICT" });
		await engine.sensorTypes.setEnabled("tests.watcher", true);
		await new Promise((resolve) => setTimeout(resolve, 300));
		assert.equal(scripted.runs.length, 1);
		end();
		await until(() => scripted.runs.length === 2);
	});
	const stubborn = createScripted(() => new Promise(() => {}));
	const service = await startWith(stubborn.plugin);
	await until(() => stubborn.active() === 1);
	const begin = performance.now();
	await service.stop();
	assert.ok(performance.now() - begin < 2_000);
});

test("what a sensor keeps is its own, and is there after a restart on disk; so is the switch", async () => {
	const directory = await mkdtemp(join(tmpdir(), "svc-sensor-state-"));
	const found: unknown[] = [];
	const scripted = createScripted(async (context) => {
		const { state } = context;
		found.push(await state.list());
		await state.set("position/a", "7");
		await state.set("position/b", "8", { ttl: 100 });
		await state.set("token", "s3cret", { secret: true });
		found.push(await state.get("position/a"), await state.get("token"), await state.get("none"), await state.list("position/"));
		found.push(await state.delete("position/b"), await state.delete("position/b"));
		await aborted(context);
	});
	const { storage, eventBus, release } = createBackend({ durable: true });
	const options = { keyvalue: { encryption_key_path: join(directory, "key.json") } };
	try {
		await withSensor(
			scripted,
			async ({ engine }) => {
				await until(() => found.length === 7);
				assert.deepEqual(found, [
					[],
					"7",
					"s3cret",
					undefined,
					[
						{ name: "position/a", value: "7" },
						{ name: "position/b", value: "8" },
					],
					true,
					false,
				]);
				const item = await engine.datastore.get("tests.watcher:token", {}, principal);
				assert.equal(item.value, "********");
			},
			{ storage, eventBus, options },
		);
		found.length = 0;
		await withSensor(
			scripted,
			async ({ engine }) => {
				await until(() => found.length === 7);
				assert.deepEqual(found[0], [
					{ name: "position/a", value: "7" },
					{ name: "token", value: "s3cret" },
				]);
				await engine.sensorTypes.setEnabled("tests.watcher", false);
			},
			{ storage, eventBus, options },
		);
		await withSensor(
			scripted,
			async ({ sensor }) => {
				assert.equal((await sensor()).enabled, false);
				assert.equal(scripted.runs.length, 2);
			},
			{ storage, eventBus, options },
		);
	} finally {
		await release();
		await rm(directory, { recursive: true });
	}
});

test("a sensor hears of the triggers that rules ask for, and of those that go", async () => {
	const changes: string[][] = [];
	const texts = (triggers: readonly SensorTrigger[], sign: string) =>
		triggers.map(({ type, parameters }) => `${sign}${type} ${String(parameters["what"])}`);
	const scripted = createScripted(async (context) => {
		for await (const { added, removed } of context.followTriggers()) changes.push([...texts(added, "+"), ...texts(removed, "-")]);
	});
	await withSensor(scripted, async ({ engine, becomes }) => {
		await until(() => changes.length === 1);
		assert.deepEqual(changes[0], ["+tests.seen undefined"]);
		const rule = {
			name: "watch",
			pack: "default",
			trigger: { type: "tests.wanted", parameters: { what: "a" } },
			action: { ref: "default.scripted" },
		};
		await engine.rules.create(rule, principal);
		await until(() => changes.length === 2);
		const [trigger] = (await scripted.runs[0]?.triggers())?.filter(({ type }) => type === "tests.wanted") ?? [];
		assert.deepEqual(trigger?.parameters, { what: "a" });
		assert.ok(await scripted.runs[0]?.dispatch(trigger?.ref ?? "", {}));
		assert.ok(await scripted.runs[0]?.dispatch({ type: "tests.wanted", parameters: { what: "a" } }, {}));
		await engine.rules.update("default.watch", { ...rule, trigger: { ...rule.trigger, parameters: { what: "b" } } }, principal);
		await until(() => changes.flat().length === 4);
		await engine.rules.remove("default.watch");
		await until(() => changes.flat().length === 5);
		assert.deepEqual(changes.flat().slice(1).sort(), ["+tests.wanted a", "+tests.wanted b", "-tests.wanted a", "-tests.wanted b"]);
		await engine.sensorTypes.setEnabled("tests.watcher", false);
		await becomes(({ state }) => state === "stopped");
	});
});

test("a sensor gets the configuration of its pack, and a node may be told to run none", async () => {
	const scripted = createScripted(aborted);
	await withSensor(
		scripted,
		async ({ sensor }) => {
			assert.equal((await sensor()).state, "stopped");
			await new Promise((resolve) => setTimeout(resolve, 100));
			assert.equal(scripted.runs.length, 0);
		},
		{ options: { sensorcontainer: { enable: false } } },
	);
	await withSensor(scripted, async () => {
		await until(() => scripted.runs.length === 1);
		assert.deepEqual(scripted.runs[0]?.packConfig, {});
		assert.equal(scripted.runs[0]?.ref, "tests.watcher");
	});
});

test("a declaration that cannot be ends the start with a message", async () => {
	const declare = (name: string, parts: object): SensorPlugin =>
		defineSensor(name, () => ({ description: "", trigger_types: [], run: async () => {}, ...parts }))();
	for (const [plugin, message] of [
		[declare("a b", {}), /sensor "default.a b": name: /],
		[declare("a", { pack: "core", trigger_types: [{ name: "b" }] }), /sensor "core.a": pack: .*core/],
		[declare("a", { poll_interval: 1 }), /poll_interval: must be a whole number of seconds, at least 4/],
		[declare("a", { trigger_types: [{ name: "b", payload_schema: { type: "nonsense" } }] }), /payload_schema/],
	] as const) {
		await assert.rejects(startEngine({ options: { sensors: [plugin] } }), (error: Error) => message.test(error.message));
	}
});

test.run();
