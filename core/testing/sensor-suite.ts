import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { isJsonObject, type Sensor, type SensorPlugin } from "../contract/index.ts";
import { assertKnownContract, contractStatement } from "./assert-contract.ts";
import { watchOpenResources } from "./open-resources.ts";
import { createPluginContext } from "./plugin-context.ts";
import { createSensorHost, type SensorHost, type SensorHostOptions } from "./sensor-host.ts";
import { guardTests } from "./test-guard.ts";
import { endOfAborted } from "./within.ts";

/** A sensor, with the means to make it detect an event. */
export interface SensorUnderTest {
	readonly plugin: SensorPlugin;
	readonly host?: SensorHostOptions;
	/** Resolves when the running sensor would detect the event of `provoke`. Default: at once. */
	ready?(host: SensorHost): Promise<void>;
	/** Causes exactly one event. */
	provoke(): Promise<void>;
	/** Called after each test, when the sensor has ended. */
	cleanUp?(): Promise<void>;
}

/** Options of the conformance suite for sensors. */
export interface SensorSuiteOptions {
	/** Registers one test. Accepts the `test` function of uvu or of node:test. */
	readonly test: (name: string, run: () => Promise<void>) => void;
	/** Prefix of every test name. */
	readonly name: string;
	/** Creates the sensor; called for each test. */
	readonly create: () => Promise<SensorUnderTest>;
	/** Milliseconds within which an aborted run must end. Default 2000. */
	readonly grace?: number;
}

interface RunUnderTest {
	/** Resolves when `count` events have been dispatched in total. Rejects if the run ends first. */
	waitFor(count: number): Promise<void>;
	/** Aborts the run and waits until it has ended. */
	end(): Promise<void>;
}

interface Scope extends SensorUnderTest {
	readonly sensor: Sensor;
	readonly stand: SensorHost;
	/** Starts a run and waits until it is ready. */
	begin(): Promise<RunUnderTest>;
}

type Check = (statement: string, run: (scope: Scope) => Promise<void>) => void;

/** Registers the conformance suite of `Sensor`: one test for each promise of the contract. */
export function testSensor({ name, create, grace = 2_000, ...given }: SensorSuiteOptions): void {
	const test = guardTests(given.test);
	const check: Check = (statement, run) =>
		test(`${name}: ${statement}`, async () => {
			const made = await create();
			const sensor = made.plugin.create();
			try {
				await sensor.start?.(createPluginContext());
				await run(toScope(made, sensor, grace));
			} finally {
				await sensor.stop?.();
				await made.cleanUp?.();
			}
		});

	check(contractStatement, async ({ plugin }) => assertKnownContract(plugin.contract));
	checkEvents(check);
	checkRuns(check, grace);

	test(`${name}: nothing remains open, and a sensor that was not started can be stopped`, async () => {
		const made = await create();
		const resources = watchOpenResources(connections);
		await made.plugin.create().stop?.();
		const sensor = made.plugin.create();
		await sensor.start?.(createPluginContext());
		await (await toScope(made, sensor, grace).begin()).end();
		await sensor.stop?.();
		await resources.assertNothingNew();
		await made.cleanUp?.();
	});
}

function checkEvents(check: Check): void {
	check("description, trigger types and interval can be registered", async ({ sensor }) => {
		assert.notEqual(sensor.description, "");
		for (const type of sensor.trigger_types) {
			assert.match(type.name, /^[A-Za-z0-9_.-]+$/);
			for (const schema of [type.payload_schema ?? {}, type.parameters_schema ?? {}]) assert.ok(isJsonObject(schema));
		}
		const { poll_interval: interval } = sensor;
		const isAllowed = interval === undefined || (Number.isInteger(interval) && interval >= 4);
		assert.ok(isAllowed, `poll_interval is ${interval}; it must be a whole number of at least 4`);
	});

	check("an event is dispatched on one of its own triggers", async ({ sensor, stand, host, begin, provoke }) => {
		const run = await begin();
		await provoke();
		await run.waitFor(1);
		await run.end();
		const [event] = stand.dispatched;
		const trigger = typeof event?.trigger === "string" ? event.trigger : (event?.trigger.type ?? "");
		const own = [
			...sensor.trigger_types.map((type) => `${sensor.pack ?? "default"}.${type.name}`),
			...(host?.triggers ?? []).map(({ ref }) => ref),
		];
		assert.ok(own.includes(trigger), `${trigger} is none of ${own.join(", ")}`);
		assert.deepEqual(event?.payload, JSON.parse(JSON.stringify(event?.payload)), "the payload does not survive JSON");
	});
}

function checkRuns(check: Check, grace: number): void {
	check("an abort ends the run within the grace, and then it dispatches nothing", async ({ stand, begin, provoke }) => {
		const run = await begin();
		await run.end();
		const before = stand.dispatched.length;
		await provoke();
		await delay(50);
		assert.equal(stand.dispatched.length, before);
	});

	check("a run that was aborted before it started ends at once", async ({ sensor, stand }) => {
		const context = stand.createContext();
		context.abort();
		await endOfAborted(grace, sensor.run(context));
	});

	check("a second run neither repeats nor misses events", async ({ stand, begin, provoke }) => {
		for (const count of [1, 2, 3]) {
			const run = await begin();
			await provoke();
			await run.waitFor(count);
			await run.end();
			assert.equal(stand.dispatched.length, count);
		}
	});
}

function toScope(made: SensorUnderTest, sensor: Sensor, grace: number): Scope {
	const stand = createSensorHost(made.host);
	return {
		...made,
		sensor,
		stand,
		async begin() {
			const context = stand.createContext();
			const running = sensor.run(context);
			// If the run ends before it is ready, fail at once instead of waiting for `ready`.
			const ended = running.then(() => Promise.reject(new Error("the run ended by itself")));
			await Promise.race([made.ready?.(stand), ended]);
			ended.catch(() => {});
			return {
				waitFor: (count) => Promise.race([stand.waitFor(count), ended]),
				async end() {
					context.abort();
					await endOfAborted(grace, running);
				},
			};
		},
	};
}

/** Resources that Node.js keeps open for a while after a connection is closed. */
const connections = ["TCPSocketWrap", "TLSWrap"];
