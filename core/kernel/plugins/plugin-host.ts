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
	Storage,
	Telemetry,
} from "../../contract/index.ts";
import { Dialects } from "../../language/dialects.ts";
import { toConfigError } from "../basics/config-error.ts";
import { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import { findOptionProblems } from "./check-options.ts";
import { createPlugins } from "./create-plugins.ts";
import type { EngineDependencies, TaggedLogger } from "./engine-dependencies.ts";
import type { StorageDoor } from "./restartable-storage.ts";
import { isStarted } from "./started-kinds.ts";
import type { Persist } from "./startup-retry.ts";

interface Started {
	readonly name: string;
	readonly instance: Lifecycle;
}

/** What plugins are told of the node they are on. */
export interface HostNode {
	readonly id: string;
	readonly clock: Clock;
	readonly logger: TaggedLogger;
}

/** The plugins of one engine, created and inert until `start`. */
export class PluginHost {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly authBackend: AuthBackend | undefined;
	/** By runner type name. */
	readonly runners: ReadonlyMap<string, Runner>;
	/** By name. */
	readonly sensors: ReadonlyMap<string, Sensor>;
	/** In the order of the configuration. */
	readonly dialects: readonly Dialect[];
	/** In the order of the configuration. */
	readonly telemetry: readonly Telemetry[];
	/** Tells them. */
	readonly hub: TelemetryHub;
	readonly #dependencies: EngineDependencies;
	readonly #node: HostNode;
	readonly #door: StorageDoor;
	readonly #started: Started[] = [];

	constructor(dependencies: EngineDependencies, node: HostNode) {
		const { door, eventBus, authBackend, runners, sensors, dialects, telemetry } = createPlugins(dependencies.composition);
		this.storage = door.storage;
		this.eventBus = eventBus;
		this.authBackend = authBackend;
		this.runners = runners;
		this.sensors = sensors;
		this.dialects = dialects;
		this.telemetry = telemetry;
		this.hub = new TelemetryHub(telemetry, node.logger);
		this.#dependencies = dependencies;
		this.#node = node;
		this.#door = door;
	}

	/**
	 * Asks telemetry, storage, event bus, dialects, and of auth backend, runners and sensors what the node's roles need whether their options are right, and
	 * starts them in this order; the runners together, as some of them wait for processes. A failure stops what had started and is thrown on; starting the storage is left to
	 * `persist`, which may try it more than once.
	 */
	async start(persist: Persist): Promise<void> {
		const { composition, roles } = this.#dependencies;
		const problems = await findOptionProblems({ composition, plugins: this, roles }, (name) => this.#toContext(name));
		if (problems.length > 0) throw toConfigError(problems);
		try {
			await this.#startTelemetry();
			await this.#startStorage(persist);
			await this.#startOthers();
		} catch (error) {
			// The failure to start is what the caller must see; one while stopping has been logged.
			await this.stop().catch(() => undefined);
			throw error;
		}
	}

	/** Stops in reverse what was started, each exactly once; goes on after a failure and throws the first at the end. */
	async stop(): Promise<void> {
		let failure: unknown;
		for (let next = this.#started.pop(); next !== undefined; next = this.#started.pop()) {
			try {
				await next.instance.stop?.();
			} catch (error) {
				failure ??= error;
				this.#node.logger.error("plugin did not stop cleanly", { plugin: next.name, error });
			}
		}
		if (failure !== undefined) throw failure;
	}

	/** Before all others, so that it hears of everything. */
	async #startTelemetry(): Promise<void> {
		const { composition } = this.#dependencies;
		for (const [index, one] of this.telemetry.entries()) await this.#startOne(`telemetry ${composition.telemetry[index]?.name}`, one);
		this.hub.open();
	}

	async #startStorage(persist: Persist): Promise<void> {
		const name = `storage ${this.#dependencies.composition.storage.name}`;
		await persist(() => this.#door.start(async (instance) => instance.start?.(this.#toContext(name))));
		this.#started.push({ name, instance: { stop: () => this.#door.stop() } });
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
		// Counted as started before it is: `stop` must also run after a failed start.
		this.#started.push({ name, instance });
		await instance.start?.(this.#toContext(name));
	}

	#needs(kind: PluginKind, instance?: Lifecycle): boolean {
		return isStarted(kind, this.#dependencies.roles, instance);
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

/** The first failure, once all have come to an end: what is still being started cannot be stopped. */
async function startTogether(starting: readonly Promise<void>[]): Promise<void> {
	const failed = (await Promise.allSettled(starting)).find((outcome) => outcome.status === "rejected");
	if (failed !== undefined) throw failed.reason;
}
