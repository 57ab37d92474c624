import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { JsonObject, Storage } from "../../contract/index.ts";
import { toEngineClock } from "../../kernel/basics/clock.ts";
import { exceptOn, postgresBackends } from "../../testing/backends/backend-names.test-support.ts";
import { startEngine, type TestEngine } from "../../testing/engine/engine.test-support.ts";
import { createOtherWriter } from "../../testing/engine/other-writer.test-support.ts";
import { createSharedStorage, type OnCall } from "../../testing/engine/shared-storage.test-support.ts";
import { Timers } from "./timers.ts";

const exceptOnPostgres = exceptOn(postgresBackends, test);

const interval = "core.svc.IntervalTimer";
const silent = { error() {}, warn() {}, info() {}, debug() {} };

/** An engine that fires nothing itself, and nodes that fire by a clock of the test. */
interface Setup extends TestEngine {
	readonly storage: Storage;
	/** Milliseconds since 1970. */
	now: number;
	startNode(options?: { timezone?: string; grace?: number; onCall?: OnCall }): Promise<Timers>;
	/** When the trigger instances of timers say that they were executed. */
	fired(): Promise<readonly string[]>;
	createTimer(type: string, parameters: JsonObject): Promise<string>;
}

async function withSetup(run: (setup: Setup) => Promise<void>): Promise<void> {
	const { storage, createDoor, release } = createSharedStorage();
	const door = createDoor();
	const service = await startEngine({ storage: door.plugin, eventBus: door.eventBus, options: { timersengine: { enable: false } } });
	const nodes: Timers[] = [];
	const setup: Setup = {
		...service,
		storage,
		now: Date.UTC(2031, 2, 4, 10, 0, 0),
		async startNode({ timezone = "UTC", grace = 60, onCall } = {}) {
			const options = {
				timersengine: { enable: true, local_timezone: timezone, misfire_grace: grace },
				scheduler: { poll_interval: 3_600 },
			};
			const node = new Timers({
				storage: createDoor(onCall).plugin.create(),
				clock: toEngineClock({ now: () => setup.now * 1_000 }),
				logger: silent as never,
				options: options as never,
				dispatcher: service.engine.dispatcher,
				changes: { onChange() {} },
			});
			nodes.push(node);
			await node.start();
			await node.look();
			return node;
		},
		async fired() {
			const instances = await storage.find("trigger_instance", { where: { trigger_type: { prefix: "core.svc." } } });
			return instances.map(({ payload }) => String(payload["executed_at"])).sort();
		},
		async createTimer(type, parameters) {
			const { ref } = await service.engine.triggers.triggers.create({ type, parameters });
			return ref;
		},
	};
	try {
		await run(setup);
	} finally {
		for (const node of nodes) await node.stop();
		await service.stop();
		await release();
	}
}

const at = (text: string) => Date.parse(`2031-03-04T${text}Z`);
const shown = (text: string) => `2031-03-04 ${text}.000000+00:00`;

exceptOnPostgres("a timer fires when its time has come, with the time in its payload and a trace of its name", () =>
	withSetup(async (setup) => {
		const ref = await setup.createTimer(interval, { unit: "minutes", delta: 1 });
		const node = await setup.startNode();
		setup.now = at("10:00:59");
		await node.look();
		assert.deepEqual(await setup.fired(), []);
		setup.now = at("10:01:00");
		await node.look();
		await node.look();
		assert.deepEqual(await setup.fired(), [shown("10:01:00")]);
		const [instance] = await setup.storage.find("trigger_instance", { where: { trigger: ref } });
		assert.equal(instance?.trigger_type, interval);
		assert.deepEqual(Object.keys(instance.payload), ["executed_at", "schedule"]);
		const trace = await setup.storage.get("trace", instance.trace_id);
		assert.equal(trace?.trace_tag, `${interval}-${ref.slice("core.".length)}`);
	}),
);

test("several nodes fire each slot once", () =>
	withSetup(async (setup) => {
		await setup.createTimer(interval, { unit: "seconds", delta: 1 });
		const nodes = await Promise.all([setup.startNode(), setup.startNode(), setup.startNode()]);
		for (let second = 1; second <= 20; second++) {
			setup.now = at("10:00:00") + second * 1_000;
			await Promise.all(nodes.flatMap((node) => [node.look(), node.look()]));
		}
		const fired = await setup.fired();
		assert.equal(fired.length, 20);
		assert.equal(new Set(fired).size, 20);
	}));

test("a node that fires a slot late fires and moves nothing that another node has moved on", () =>
	withSetup(async (setup) => {
		const { storage } = setup;
		await setup.createTimer(interval, { unit: "minutes", delta: 1 });
		const other = createOtherWriter();
		const node = await setup.startNode({ onCall: other.onCall, grace: 10 });
		const [timer] = await storage.find("timer", {});
		const moved = { next_fire_at: "2031-03-04T12:00:00.000000Z", last_fired_at: "2031-03-04T11:59:00.000000Z" };
		other.before("timer", {}, () => storage.update("timer", timer?.id ?? "", moved));
		setup.now = at("10:01:00");
		await node.look();
		assert.deepEqual(await storage.find("timer", {}), [{ ...timer, ...moved }]);
		assert.deepEqual(await setup.fired(), []);
		// So does one that has missed its time by more than the grace.
		await storage.update("timer", timer?.id ?? "", { next_fire_at: timer?.next_fire_at ?? null });
		other.before("timer", {}, () => storage.update("timer", timer?.id ?? "", moved));
		setup.now = at("10:30:30");
		await node.look();
		assert.equal(other.hasCome(), true);
		assert.deepEqual(await storage.find("timer", {}), [{ ...timer, ...moved }]);
	}));

test("a node that plans a timer anew leaves it as another node has moved it", () =>
	withSetup(async (setup) => {
		const { storage } = setup;
		await setup.createTimer("core.svc.CronTimer", { hour: 12 });
		await setup.startNode();
		const [timer] = await storage.find("timer", {});
		const other = createOtherWriter();
		const moved = { next_fire_at: "2031-03-05T12:00:00.000000Z" };
		other.before("timer", {}, () => storage.update("timer", timer?.id ?? "", moved));
		await setup.startNode({ timezone: "Europe/Berlin", onCall: other.onCall });
		assert.equal(other.hasCome(), true);
		assert.equal((await storage.find("timer", {}))[0]?.next_fire_at, moved.next_fire_at);
	}));

test("a start anew goes on counting, and fires at most the latest slot that was missed", () =>
	withSetup(async (setup) => {
		await setup.createTimer(interval, { unit: "minutes", delta: 10 });
		await (await setup.startNode()).stop();
		setup.now = at("10:35:00");
		const node = await setup.startNode();
		assert.deepEqual(await setup.fired(), [], "older than the grace");
		setup.now = at("10:40:00");
		await node.look();
		await node.stop();
		setup.now = at("11:00:30");
		await setup.startNode();
		assert.deepEqual(await setup.fired(), [shown("10:40:00"), shown("11:00:30")]);
		const [timer] = await setup.storage.find("timer", {});
		assert.equal(timer?.last_fired_at, "2031-03-04T11:00:00.000000Z");
		assert.equal(timer.next_fire_at, "2031-03-04T11:10:00.000000Z");
	}));

exceptOnPostgres("a date fires once and never again; one that is past never fires", () =>
	withSetup(async (setup) => {
		await setup.createTimer("core.svc.DateTimer", { date: "2031-03-04T10:05:00" });
		await setup.createTimer("core.svc.DateTimer", { date: "2031-03-04T09:59:59" });
		const node = await setup.startNode();
		for (const time of ["10:05:00", "10:05:01", "10:30:00"]) {
			setup.now = at(time);
			await node.look();
		}
		assert.deepEqual(await setup.fired(), [shown("10:05:00")]);
		await setup.startNode();
		assert.equal((await setup.fired()).length, 1);
		assert.deepEqual(
			(await setup.storage.find("timer", {})).map(({ next_fire_at }) => next_fire_at),
			[null, null],
		);
	}),
);

exceptOnPostgres("a timer goes with its trigger and comes with a new one", () =>
	withSetup(async (setup) => {
		const node = await setup.startNode();
		assert.equal(await setup.storage.count("timer", {}), 0);
		const ref = await setup.createTimer(interval, { unit: "minutes", delta: 1 });
		await node.look();
		assert.equal(await setup.storage.count("timer", {}), 1);
		await setup.engine.triggers.triggers.remove(ref);
		setup.now = at("10:01:00");
		await node.look();
		assert.equal(await setup.storage.count("timer", {}), 0);
		assert.deepEqual(await setup.fired(), []);
	}),
);

exceptOnPostgres("another time zone counts from the next start", () =>
	withSetup(async (setup) => {
		await setup.createTimer("core.svc.CronTimer", { hour: 12 });
		const next = async () => (await setup.storage.find("timer", {}))[0]?.next_fire_at;
		await (await setup.startNode()).stop();
		assert.equal(await next(), "2031-03-04T12:00:00.000000Z");
		await setup.startNode({ timezone: "Europe/Berlin" });
		assert.equal(await next(), "2031-03-04T11:00:00.000000Z");
	}),
);

exceptOnPostgres("a clock that jumps ahead fires once, one that jumps back fires nothing twice", () =>
	withSetup(async (setup) => {
		await setup.createTimer("core.svc.CronTimer", { minute: "*" });
		const node = await setup.startNode({ grace: 3_600 });
		setup.now = at("10:30:10");
		await node.look();
		assert.deepEqual(await setup.fired(), [shown("10:30:10")]);
		await node.stop();
		setup.now = at("10:29:30");
		const again = await setup.startNode();
		for (const time of ["10:30:00", "10:30:30", "10:31:00"]) {
			setup.now = at(time);
			await again.look();
		}
		assert.deepEqual(await setup.fired(), [shown("10:30:10"), shown("10:31:00")]);
	}),
);

exceptOnPostgres("rules are refused whose schedule cannot be read", () =>
	withSetup(async ({ engine }) => {
		const rule = {
			name: "late",
			pack: "default",
			trigger: { type: "core.svc.CronTimer", parameters: { hour: "25" } },
			action: { ref: "core.noop", parameters: {} },
		};
		const principal = { username: "maria", isAdmin: true, authentication: { method: "none" as const } };
		await assert.rejects(engine.rules.create(rule as never, principal), /trigger.parameters.hour: must be a number from 0 to 23/);
	}),
);

test("the running service fires by itself", async () => {
	const service = await startEngine();
	try {
		await service.engine.triggers.triggers.create({ type: interval, parameters: { unit: "seconds", delta: 1 } });
		const start = performance.now();
		while ((await service.engine.triggers.instances.list({ trigger_type: interval }, { limit: 1, offset: 0 })).items.length === 0) {
			assert.ok(performance.now() - start < 5_000, "nothing fired");
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	} finally {
		await service.stop();
	}
});

test.run();
