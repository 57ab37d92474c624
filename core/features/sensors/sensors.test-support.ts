import { defineSensor, type SensorContext, type SensorEntity, type SensorPlugin, type SensorTriggerType } from "../../contract/index.ts";
import { startEngine, type TestEngine, type TestEngineOptions } from "../../testing/engine/engine.test-support.ts";

/** A sensor that runs what the test says, and how often and how it has run. */
export interface ScriptedSensor {
	readonly plugin: SensorPlugin;
	/** Contexts of the runs, in order. */
	readonly runs: readonly SensorContext[];
	/** Runs that have not settled. */
	active(): number;
	/** Most runs at a time. */
	most(): number;
}

export const seen: SensorTriggerType = {
	name: "seen",
	description: "Something was seen.",
	payload_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
};

export const wanted: SensorTriggerType = {
	name: "wanted",
	parameters_schema: { type: "object", properties: { what: { type: "string", required: true } } },
};

export function createScripted(run: (context: SensorContext, attempt: number) => Promise<void>): ScriptedSensor {
	const runs: SensorContext[] = [];
	let active = 0;
	let most = 0;
	const plugin = defineSensor("watcher", () => ({
		description: "Watches.",
		pack: "tests",
		trigger_types: [seen, wanted],
		async run(context) {
			runs.push(context);
			active += 1;
			most = Math.max(most, active);
			try {
				await run(context, runs.length);
			} finally {
				active -= 1;
			}
		},
	}))();
	return { plugin, runs, active: () => active, most: () => most };
}

/** Resolves when the signal aborts. */
export const aborted = ({ signal }: SensorContext): Promise<void> =>
	new Promise((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener("abort", () => resolve(), { once: true });
	});

export interface SensorEngine extends TestEngine {
	sensor(): Promise<SensorEntity>;
	/** Wait until the record is as it should be. */
	becomes(isRight: (sensor: SensorEntity) => boolean): Promise<SensorEntity>;
	/** Payloads of a trigger type's instances, oldest first. */
	payloads(type: string): Promise<readonly unknown[]>;
}

/** An engine with sensors that restart quickly. */
export async function startWith(plugin: SensorPlugin, { options = {}, ...rest }: TestEngineOptions = {}): Promise<SensorEngine> {
	const service = await startEngine({
		...rest,
		options: {
			...options,
			sensors: [plugin],
			sensorcontainer: { restart_delay: 0.05, max_restart_delay: 0.4, shutdown_grace: 0.2, ...options.sensorcontainer },
			scheduler: { poll_interval: 0.05, ...options.scheduler },
		},
	});
	const { engine } = service;
	const sensor = () => engine.sensorTypes.get("tests.watcher");
	return {
		...service,
		sensor,
		async becomes(isRight) {
			let last: SensorEntity | undefined;
			await until(async () => isRight((last = await sensor())));
			return last as SensorEntity;
		},
		async payloads(type) {
			const { items } = await engine.triggers.instances.list({ trigger_type: type }, {});
			return items.map(({ payload }) => payload).reverse();
		},
	};
}

export async function until(isTrue: () => boolean | Promise<boolean>, milliseconds = 30_000): Promise<void> {
	const deadline = performance.now() + milliseconds;
	while (!(await isTrue())) {
		if (performance.now() > deadline) throw new Error(`not within ${milliseconds} ms: ${isTrue}`);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}
