import type {
	AuthBackend,
	Clock,
	Dialect,
	EventBus,
	Lifecycle,
	PluginContext,
	PluginKind,
	Runner,
	Sensor,
	Telemetry,
} from "../../contract/index.ts";
import { Dialects } from "../../language/dialects.ts";
import { toConfigError } from "../basics/config-error.ts";
import { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import { findOptionProblems } from "./check-options.ts";
import { createPlugins, type RestartableStorage } from "./create-plugins.ts";
import type { EngineDependencies, TaggableLogger } from "./engine-dependencies.ts";
import type { StorageSource } from "./engine-storage.ts";
import { shouldStart } from "./plugin-roles.ts";
import type { StartupRetry } from "./startup-retry.ts";

interface StartedPlugin {
	readonly name: string;
	readonly instance: Lifecycle;
}

/** Properties of the node that are passed to plugins. */
export interface HostNode {
	readonly id: string;
	readonly clock: Clock;
	readonly logger: TaggableLogger;
}

/** Plugins of one engine. The constructor creates them, and `start` starts them. */
export class PluginHost {
	readonly storageSource: StorageSource;
	readonly eventBus: EventBus;
	readonly authBackend: AuthBackend | undefined;
	/** Runners by runner type name. */
	readonly runners: ReadonlyMap<string, Runner>;
	/** Sensors by name. */
	readonly sensors: ReadonlyMap<string, Sensor>;
	/** Dialects in the order of the configuration. */
	readonly dialects: readonly Dialect[];
	/** Telemetry plugins in the order of the configuration. */
	readonly telemetry: readonly Telemetry[];
	/** Passes measurements to the telemetry plugins. */
	readonly hub: TelemetryHub;
	readonly #dependencies: EngineDependencies;
	readonly #node: HostNode;
	readonly #restartableStorage: RestartableStorage;
	readonly #startedPlugins: StartedPlugin[] = [];

	constructor(dependencies: EngineDependencies, node: HostNode) {
		const { restartableStorage, eventBus, authBackend, runners, sensors, dialects, telemetry } = createPlugins(dependencies.composition);
		this.storageSource = restartableStorage;
		this.eventBus = eventBus;
		this.authBackend = authBackend;
		this.runners = runners;
		this.sensors = sensors;
		this.dialects = dialects;
		this.telemetry = telemetry;
		this.hub = new TelemetryHub(telemetry, node.logger);
		this.#dependencies = dependencies;
		this.#node = node;
		this.#restartableStorage = restartableStorage;
	}

	/**
	 * Checks the options of the plugins that the roles of this node need, and starts these plugins. The order is telemetry, storage, event
	 * bus, auth backend, dialects, runners, sensors. Runners start at the same time, because some of them wait for processes. Rejects with
	 * `SVC_CONFIG` if options are wrong. If a plugin does not start, stops those that have started and rejects with its error.
	 *
	 * @param retryStartup starts the storage; repeats the attempt while the storage is unavailable
	 */
	async start(retryStartup: StartupRetry): Promise<void> {
		const { composition, roles } = this.#dependencies;
		const problems = await findOptionProblems({ composition, plugins: { ...this, storage: this.storageSource.current }, roles }, (name) =>
			this.#toContext(name),
		);
		if (problems.length > 0) throw toConfigError(problems);
		try {
			await this.#startTelemetry();
			await this.#startStorage(retryStartup);
			await this.#startOthers();
		} catch (error) {
			// The caller must get the error of the start. Errors of stopping have been logged.
			await this.stop().catch(() => undefined);
			throw error;
		}
	}

	/**
	 * Stops the started plugins in reverse order, each exactly once. Continues after an error, and rejects with the first one at the end.
	 */
	async stop(): Promise<void> {
		let failure: unknown;
		for (let next = this.#startedPlugins.pop(); next !== undefined; next = this.#startedPlugins.pop()) {
			try {
				await next.instance.stop?.();
			} catch (error) {
				failure ??= error;
				this.#node.logger.error("plugin did not stop cleanly", { plugin: next.name, error });
			}
		}
		if (failure !== undefined) throw failure;
	}

	/** Starts the telemetry plugins before all others, so that they receive all measurements. */
	async #startTelemetry(): Promise<void> {
		const { composition } = this.#dependencies;
		for (const [index, plugin] of this.telemetry.entries()) await this.#startOne(`telemetry ${composition.telemetry[index]?.name}`, plugin);
		this.hub.connectPlugins();
	}

	async #startStorage(retryStartup: StartupRetry): Promise<void> {
		const name = `storage ${this.#dependencies.composition.storage.name}`;
		await retryStartup(() => this.#restartableStorage.start(async (instance) => instance.start?.(this.#toContext(name))));
		this.#startedPlugins.push({ name, instance: { stop: () => this.#restartableStorage.stop() } });
	}

	async #startOthers(): Promise<void> {
		const { composition } = this.#dependencies;
		await this.#startOne(`event bus ${composition.eventBus.name}`, this.eventBus);
		if (this.authBackend !== undefined && this.#needs("auth-backend")) {
			await this.#startOne(`auth backend ${composition.authBackend?.name}`, this.authBackend);
		}
		for (const [index, dialect] of this.dialects.entries()) await this.#startOne(`dialect ${composition.dialects[index]?.name}`, dialect);
		const runners = [...this.runners].filter(([, runner]) => this.#needs("runner", runner));
		await startTogether(runners.map(([name, runner]) => this.#startOne(`runner ${name}`, runner)));
		if (this.#needs("sensor")) for (const [name, sensor] of this.sensors) await this.#startOne(`sensor ${name}`, sensor);
	}

	async #startOne(name: string, instance: Lifecycle): Promise<void> {
		// Add the plugin before it starts, because it must also be stopped if its start fails.
		this.#startedPlugins.push({ name, instance });
		await instance.start?.(this.#toContext(name));
	}

	#needs(kind: PluginKind, instance?: Lifecycle): boolean {
		return shouldStart(kind, this.#dependencies.roles, instance);
	}

	#toContext(name: string): PluginContext {
		const { dataDirectory, options } = this.#dependencies;
		const { id: nodeId, clock, logger } = this.#node;
		return {
			...{ logger: logger.withTag(name), clock, dataDirectory, nodeId, options },
			pythonPaths: new Dialects(this.dialects).pythonPaths,
			...(this.hub.isOn && { meters: this.hub }),
		};
	}
}

/** Waits for all starts, then throws the first error: a plugin cannot be stopped while it is still starting. */
async function startTogether(starts: readonly Promise<void>[]): Promise<void> {
	const rejection = (await Promise.allSettled(starts)).find((result) => result.status === "rejected");
	if (rejection !== undefined) throw rejection.reason;
}
