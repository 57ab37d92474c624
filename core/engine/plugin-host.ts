import type { AuthBackend, Clock, EventBus, Lifecycle, Runner, Sensor, Storage } from "../contract/index.ts";
import type { EngineDependencies, TaggedLogger } from "./dependencies.ts";

/** The plugins of one engine, created and inert until `start`. */
export interface PluginHost {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly authBackend: AuthBackend | undefined;
	/** By runner type name. */
	readonly runners: ReadonlyMap<string, Runner>;
	/** By name. */
	readonly sensors: ReadonlyMap<string, Sensor>;
	/** Starts storage, event bus, auth backend, runners and sensors, in this order. A failure stops what had started and is thrown on. */
	start(): Promise<void>;
	/** Stops in reverse what was started, each exactly once; goes on after a failure and throws the first at the end. */
	stop(): Promise<void>;
}

interface Started {
	readonly name: string;
	readonly instance: Lifecycle;
}

export function createPluginHost(
	dependencies: EngineDependencies,
	node: { readonly id: string; readonly clock: Clock; readonly logger: TaggedLogger },
): PluginHost {
	const { composition } = dependencies;
	const storage = composition.storage.create();
	const eventBus = composition.eventBus.create();
	const authBackend = composition.authBackend?.create();
	const runners = new Map(composition.runners.map((plugin) => [plugin.name, plugin.create() as Runner]));
	const sensors = new Map(composition.sensors.map((plugin) => [plugin.name, plugin.create()]));
	const started: Started[] = [];

	async function startOne(name: string, instance: Lifecycle): Promise<void> {
		// Counted as started before it is: `stop` must also run after a failed start.
		started.push({ name, instance });
		await instance.start?.({
			logger: node.logger.withTag(name),
			clock: node.clock,
			dataDirectory: dependencies.dataDirectory,
			nodeId: node.id,
			options: dependencies.options,
		});
	}

	async function stop(): Promise<void> {
		let failure: unknown;
		for (let next = started.pop(); next !== undefined; next = started.pop()) {
			try {
				await next.instance.stop?.();
			} catch (error) {
				failure ??= error;
				node.logger.error("plugin did not stop cleanly", { plugin: next.name, error });
			}
		}
		if (failure !== undefined) throw failure;
	}

	async function start(): Promise<void> {
		try {
			await startOne(`storage ${composition.storage.name}`, storage);
			await startOne(`event bus ${composition.eventBus.name}`, eventBus);
			if (authBackend !== undefined) await startOne(`auth backend ${composition.authBackend?.name}`, authBackend);
			for (const [name, runner] of runners) await startOne(`runner ${name}`, runner);
			for (const [name, sensor] of sensors) await startOne(`sensor ${name}`, sensor);
		} catch (error) {
			// The failure to start is what the caller must see; one while stopping has been logged.
			await stop().catch(() => undefined);
			throw error;
		}
	}

	return { storage, eventBus, authBackend, runners, sensors, start, stop };
}
