import type { Lifecycle, PluginContext, PluginKind } from "../../contract/index.ts";
import { Dialects } from "../../language/dialects.ts";
import { toConfigError } from "../basics/config-error.ts";
import { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import { findOptionProblems } from "./check-options.ts";
import { type CreatedPlugin, type CreatedPlugins, createPlugins } from "./create-plugins.ts";
import type { EngineDependencies } from "./engine-dependencies.ts";
import { shouldStart } from "./plugin-roles.ts";
import type { RetryStartup } from "./retry-startup.ts";

interface StartedPlugin {
	readonly name: string;
	readonly instance: Pick<Lifecycle, "stop">;
}

/** Plugins of one engine. The constructor creates them, and `start` starts them. */
export class PluginHost {
	readonly created: CreatedPlugins;
	/** Passes measurements to the telemetry plugins. */
	readonly hub: TelemetryHub;
	readonly #dependencies: EngineDependencies;
	readonly #nodeId: string;
	readonly #startedPlugins: StartedPlugin[] = [];

	constructor(dependencies: EngineDependencies, nodeId: string) {
		this.created = createPlugins(dependencies.composition);
		this.hub = new TelemetryHub(this.created.telemetry, dependencies.logger);
		this.#dependencies = dependencies;
		this.#nodeId = nodeId;
	}

	/**
	 * Checks the options of the plugins that the roles of this node need, and starts these plugins. The order is telemetry, storage, event
	 * bus, auth backend, dialects, runners, sensors. Runners start at the same time, because some of them wait for processes. Rejects with
	 * `SVC_CONFIG` if options are wrong. If a plugin does not start, stops those that have started and rejects with its error.
	 *
	 * @param retryStartup starts the storage; repeats the attempt while the storage is unavailable
	 */
	async start(retryStartup: RetryStartup): Promise<void> {
		const { roles } = this.#dependencies;
		const problems = await findOptionProblems(this.created.entries, roles, (plugin) => this.#toContext(toTitle(plugin)));
		if (problems.length > 0) throw toConfigError(problems);
		try {
			// Start the telemetry plugins before all others, so that they receive all measurements.
			await this.#startKind("telemetry");
			this.hub.connectPlugins();
			await this.#startStorage(retryStartup);
			for (const kind of ["event-bus", "auth-backend", "dialect"] as const) await this.#startKind(kind);
			await startTogether(this.#needed("runner").map((plugin) => this.#startOne(plugin)));
			await this.#startKind("sensor");
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
				this.#dependencies.logger.error("plugin did not stop cleanly", { plugin: next.name, error });
			}
		}
		if (failure !== undefined) throw failure;
	}

	async #startStorage(retryStartup: RetryStartup): Promise<void> {
		const { restartableStorage } = this.created;
		const name = `storage ${this.#dependencies.composition.storage.name}`;
		await retryStartup(() => restartableStorage.start(async (instance) => instance.start?.(this.#toContext(name))));
		this.#startedPlugins.push({ name, instance: restartableStorage });
	}

	async #startKind(kind: PluginKind): Promise<void> {
		for (const plugin of this.#needed(kind)) await this.#startOne(plugin);
	}

	/** Returns the plugins of a kind that this node starts. */
	#needed(kind: PluginKind): readonly CreatedPlugin[] {
		const { roles } = this.#dependencies;
		return this.created.entries.filter((plugin) => plugin.kind === kind && shouldStart(kind, roles, plugin.instance));
	}

	async #startOne(plugin: CreatedPlugin): Promise<void> {
		const { instance } = plugin;
		const name = toTitle(plugin);
		// Add the plugin before it starts, because it must also be stopped if its start fails.
		this.#startedPlugins.push({ name, instance });
		await instance.start?.(this.#toContext(name));
	}

	#toContext(name: string): PluginContext {
		const { clock, logger, dataDirectory, options } = this.#dependencies;
		return {
			...{ logger: logger.withTag(name), clock, dataDirectory, nodeId: this.#nodeId, options },
			pythonPaths: new Dialects(this.created.dialects).pythonPaths,
			...(this.hub.isOn && { meters: this.hub }),
		};
	}
}

/** Returns the name of a plugin in the log, such as `event bus postgres`. */
function toTitle({ kind, name }: CreatedPlugin): string {
	return `${kind.replace("-", " ")} ${name}`;
}

/** Waits for all starts, then throws the first error: a plugin cannot be stopped while it is still starting. */
async function startTogether(starts: readonly Promise<void>[]): Promise<void> {
	const rejection = (await Promise.allSettled(starts)).find((result) => result.status === "rejected");
	if (rejection !== undefined) throw rejection.reason;
}
