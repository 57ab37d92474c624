import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { isJsonObject, type Sensor, type SensorPlugin } from "../contract/index.ts";
import { assertKnownContract, contractStatement } from "./assert-contract.ts";
import { watchOpenResources } from "./open-resources.ts";
import { createPluginContext } from "./plugin-context.ts";
import { createSensorHost, type SensorHost, type SensorHostOptions } from "./sensor-context.ts";
import { asStatements } from "./statement.ts";
import { endOfAborted } from "./within.ts";

/** A sensor, and how to make it see something. */
export interface SensorUnderTest {
	readonly plugin: SensorPlugin;
	readonly host?: SensorHostOptions;
	/** Resolves once the running sensor would see what `provoke` does. Default: at once. */
	ready?(host: SensorHost): Promise<void>;
	/** Cause exactly one event. */
	provoke(): Promise<void>;
	/** Called after each test, once the sensor has ended. */
	cleanUp?(): Promise<void>;
}

/** What the suite for sensors needs. */
export interface SensorSuiteOptions {
	/** Registers one test; `test` of uvu and of node:test both fit. */
	readonly test: (name: string, run: () => Promise<void>) => void;
	/** Stands in front of every test name. */
	readonly name: string;
	/** Called for each test. */
	readonly create: () => Promise<SensorUnderTest>;
	/** Milliseconds within which an aborted run must have ended. Default 2000. */
	readonly grace?: number;
}

interface RunUnderTest {
	/** Resolves once so many events have been dispatched in all; rejects when the run ends before. */
	waitFor(count: number): Promise<void>;
	/** Abort the run and wait for its end. */
	end(): Promise<void>;
}

interface Scope extends SensorUnderTest {
	readonly sensor: Sensor;
	readonly stand: SensorHost;
	/** Start a run and wait until it is ready. */
	begin(): Promise<RunUnderTest>;
}

type Check = (statement: string, run: (scope: Scope) => Promise<void>) => void;

/** Conformance suite of `Sensor`: one promise of the contract a test. */
export function testSensor({ name, create, grace = 2_000, ...given }: SensorSuiteOptions): void {
	const test = asStatements(given.test);
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

	test(`${name}: nothing is left open, and a sensor that was not started can be stopped`, async () => {
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
		assert.ok(isAllowed, `poll_interval is ${interval}; allowed are whole numbers from 4 on`);
	});

	check("an event is dispatched on a trigger of its own", async ({ sensor, stand, host, begin, provoke }) => {
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

	check("a run that was aborted before it began ends at once", async ({ sensor, stand }) => {
		const context = stand.createContext();
		context.abort();
		await endOfAborted(grace, sensor.run(context));
	});

	check("a second run neither repeats nor misses what comes", async ({ stand, begin, provoke }) => {
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
			// A run that fails before it is ready must not be waited for.
			const ended = running.then(() => Promise.reject(new Error("the run has ended by itself")));
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

/** The runtime keeps them for a while. */
const connections = ["TCPSocketWrap", "TLSWrap"];
