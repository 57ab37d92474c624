import { join } from "node:path";
import type { Logger, PackSensorDefinition, Runner } from "../../../core/contract/index.ts";
import { createPluginContext } from "../../../core/testing/plugin-context.ts";
import { createSensorHost, type SensorHost, type SensorHostOptions } from "../../../core/testing/sensor-context.ts";
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
	/** As a loss of the service would. */
	readonly runner: Runner;
}

/** Text of a file with one sensor, from what is in its class. */
export function toSensor(body: string, base = "Sensor"): string {
	const lines = body.trim().split("\n");
	return `import os, sys, time\nfrom svc.sensors import Sensor, PollingSensor\n\nclass Test(${base}):\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

/** Write the file of a sensor, and give it to a started runner. */
export async function useSensor(
	pack: PythonPack,
	text: string,
	use: (test: SensorTest) => Promise<void>,
	{
		options = {},
		grace = 5,
		nodeId = "kept",
	}: { readonly options?: PythonScriptOptions; readonly grace?: number; readonly nodeId?: string } = {},
): Promise<void> {
	pack.write("sensors/test.py", text);
	const definition = {
		...{ ref: "tests.Test", pack: "tests", name: "Test", description: "" },
		entryPoint: join(pack.directory, "sensors/test.py"),
		packDirectory: pack.directory,
		trigger_types: [{ name: "seen" }],
	};
	const runner: Runner = pythonScript({ engine: "cpython", ...options }).create();
	const stops: (() => Promise<number>)[] = [];
	try {
		const context = createPluginContext({
			dataDirectory: join(pack.directory, "data"),
			options: { sensorcontainer: { shutdown_grace: grace } },
		});
		await runner.start?.({ ...context, nodeId });
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
		await runner.stop?.();
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
