import { join } from "node:path";
import type { Logger, PackSensorDefinition, Runner } from "../../../core/contract/index.ts";
import { createPluginContext } from "../../../core/testing/plugin-context.ts";
import { createSensorHost, type SensorHost, type SensorHostOptions } from "../../../core/testing/sensor-host.ts";
import { type PythonScriptOptions, pythonScript } from "../index.ts";
import type { PythonPack } from "../python-pack.test-support.ts";

export interface LogLine {
	readonly level: keyof Logger;
	readonly message: string;
	readonly fields: Readonly<Record<string, unknown>>;
}

/** A run of a sensor under test. */
export interface StartedSensor {
	readonly host: SensorHost;
	/** What it has written to the log. */
	readonly lines: readonly LogLine[];
	/** Texts of them. */
	texts(): readonly string[];
	/** Rejects with why it failed. */
	readonly ended: Promise<void>;
	/** End it; milliseconds that it took. */
	stop(): Promise<number>;
}

export interface SensorTest {
	readonly definition: PackSensorDefinition;
	start(options?: SensorHostOptions): StartedSensor;
	readonly runner: Runner;
}

/** Text of a file with one sensor, from what is in its class. */
export function toSensor(body: string, base = "Sensor"): string {
	const lines = body.trim().split("\n");
	return `import os, sys, time\nfrom svc.sensors import Sensor, PollingSensor\n\nclass Test(${base}):\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

interface SensorRunnerOptions {
	readonly options?: PythonScriptOptions;
	/** Seconds that a sensor has to end. */
	readonly grace?: number;
}

/** Starts a runner for sensors of the pack. */
export async function startSensorRunner(pack: PythonPack, { options = {}, grace = 5 }: SensorRunnerOptions = {}): Promise<Runner> {
	const runner: Runner = pythonScript({ engine: "cpython", ...options }).create();
	const context = createPluginContext({
		dataDirectory: join(pack.directory, "data"),
		options: { sensorcontainer: { shutdown_grace: grace } },
	});
	await runner.start?.({ ...context, nodeId: "kept" });
	return runner;
}

/** Use a runner of its own for sensors of the pack. */
export async function withSensorRunner(
	pack: PythonPack,
	options: SensorRunnerOptions,
	use: (runner: Runner) => Promise<void>,
): Promise<void> {
	const runner = await startSensorRunner(pack, options);
	try {
		await use(runner);
	} finally {
		await runner.stop?.();
	}
}

/** Write the file of a sensor, and give it to a started runner. */
export async function useSensor(pack: PythonPack, runner: Runner, text: string, use: (test: SensorTest) => Promise<void>): Promise<void> {
	pack.write("sensors/test.py", text);
	const definition = {
		...{ ref: "tests.Test", pack: "tests", name: "Test", description: "" },
		entryPoint: join(pack.directory, "sensors/test.py"),
		packDirectory: pack.directory,
		trigger_types: [{ name: "seen" }],
	};
	const stops: (() => Promise<number>)[] = [];
	try {
		await use({
			definition,
			runner,
			start(given) {
				const started = startSensor(runner, definition, given);
				stops.push(started.stop);
				return started;
			},
		});
	} finally {
		for (const stop of stops) await stop();
	}
}

function startSensor(runner: Runner, definition: PackSensorDefinition, given: SensorHostOptions = {}): StartedSensor {
	const host = createSensorHost(given);
	const lines: LogLine[] = [];
	const keep =
		(level: keyof Logger) =>
		(message: string, fields: Readonly<Record<string, unknown>> = {}) =>
			void lines.push({ level, message, fields });
	const logger: Logger = { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
	const context = { ...host.createContext(), logger };
	const sensor = runner.packSensors?.create({
		...definition,
		...(given.poll_interval !== undefined && { poll_interval: given.poll_interval }),
	});
	const ended = sensor?.run(context) ?? Promise.reject(new Error("the runner runs no sensors"));
	ended.catch(() => {});
	return {
		host,
		lines,
		ended,
		texts: () => lines.map(({ fields }) => String(fields["text"])),
		async stop() {
			const begin = performance.now();
			context.abort();
			await ended.catch(() => {});
			return performance.now() - begin;
		},
	};
}
