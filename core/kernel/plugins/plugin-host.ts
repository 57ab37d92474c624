import type { AuthBackend, Clock, EventBus, Lifecycle, NodeRole, Runner, Sensor, Storage } from "../../contract/index.ts";
import type { Persist } from "../nodes/persist.ts";
import { createPlugins } from "./create-plugins.ts";
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
	/**
	 * Starts storage, event bus, and of auth backend, runners and sensors what the node's roles need, in this order; the runners
	 * together, as some of them wait for processes. A failure stops what had started and is thrown on; starting the storage is left to
	 * `persist`, which may try it more than once.
	 */
	start(persist: Persist): Promise<void>;
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
	const needs = (...roles: readonly NodeRole[]) => roles.some((role) => dependencies.roles.includes(role));
	const { door, eventBus, authBackend, runners, sensors } = createPlugins(composition);
	const started: Started[] = [];

	const toContext = (name: string) => ({
		logger: node.logger.withTag(name),
		clock: node.clock,
		dataDirectory: dependencies.dataDirectory,
		nodeId: node.id,
		options: dependencies.options,
	});

	async function startOne(name: string, instance: Lifecycle): Promise<void> {
		// Counted as started before it is: `stop` must also run after a failed start.
		started.push({ name, instance });
		await instance.start?.(toContext(name));
	}

	async function startStorage(persist: Persist): Promise<void> {
		const name = `storage ${composition.storage.name}`;
		await persist(() => door.start(async (instance) => instance.start?.(toContext(name))));
		started.push({ name, instance: { stop: door.stop } });
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

	async function start(persist: Persist): Promise<void> {
		try {
			await startStorage(persist);
			await startOne(`event bus ${composition.eventBus.name}`, eventBus);
			// The listener of the API answers for the authentication component too.
			if (authBackend !== undefined && needs("auth", "api")) await startOne(`auth backend ${composition.authBackend?.name}`, authBackend);
			if (needs("worker")) await startTogether([...runners].map(([name, runner]) => startOne(`runner ${name}`, runner)));
			if (needs("sensors")) for (const [name, sensor] of sensors) await startOne(`sensor ${name}`, sensor);
		} catch (error) {
			// The failure to start is what the caller must see; one while stopping has been logged.
			await stop().catch(() => undefined);
			throw error;
		}
	}

	/** The first failure, once all have come to an end: what is still being started cannot be stopped. */
	async function startTogether(starting: readonly Promise<void>[]): Promise<void> {
		const failed = (await Promise.allSettled(starting)).find((outcome) => outcome.status === "rejected");
		if (failed !== undefined) throw failed.reason;
	}

	return { storage: door.storage, eventBus, authBackend, runners, sensors, start, stop };
}
