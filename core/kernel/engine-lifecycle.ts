import { RunAborted, SvcError } from "../contract/index.ts";
import { settledWithin } from "../lib/wait.ts";
import type { EngineCore } from "./engine-api.ts";
import type { RunnableKernel } from "./kernel.ts";
import { assertRolesReachable } from "./nodes/cluster-checks.ts";
import { assertNoUnfinishedDatabaseMove } from "./nodes/database-move-guard.ts";
import type { Node } from "./nodes/node.ts";
import type { EngineDependencies } from "./plugins/engine-dependencies.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import type { RetryStartup } from "./plugins/retry-startup.ts";

export interface EngineLifecycleDependencies {
	readonly dependencies: EngineDependencies;
	readonly host: PluginHost;
	readonly kernel: RunnableKernel;
	readonly node: Node;
	readonly retryStartup: RetryStartup;
	/** Aborted when the engine must stop. */
	readonly halting: AbortController;
}

/** Starts and stops the parts of an engine in the order of their dependencies. */
export class EngineLifecycle implements Pick<EngineCore, "start" | "drain" | "abort" | "stop"> {
	readonly #parts: EngineLifecycleDependencies;
	/** Ends the grace period of active runs at once. If it has not begun yet, there will be none. */
	#endGracePeriod = () => {};
	readonly #graceEnded = new Promise<void>((resolve) => {
		this.#endGracePeriod = resolve;
	});
	#starting: Promise<void> | undefined;
	#draining: Promise<void> | undefined;
	#stopping: Promise<void> | undefined;

	constructor(parts: EngineLifecycleDependencies) {
		this.#parts = parts;
	}

	/** Starts the engine; further calls return the same promise. Rejects with `SVC_UNAVAILABLE` after `drain` or `stop`. */
	start(): Promise<void> {
		return (this.#starting ??= this.#start());
	}

	drain(): Promise<void> {
		return (this.#draining ??= this.#drain());
	}

	async abort(): Promise<void> {
		this.#endGracePeriod();
		await this.drain();
	}

	stop(): Promise<void> {
		return (this.#stopping ??= this.drain().then(() => this.#close()));
	}

	async #start(): Promise<void> {
		const { dependencies, host, kernel, node, retryStartup, halting } = this.#parts;
		const { composition, logger, roles } = dependencies;
		const { restartableStorage: storage, eventBus, runners } = host.created;
		if (halting.signal.aborted) throw new SvcError("SVC_UNAVAILABLE", "the engine was stopped before it had started");
		assertRolesReachable({
			roles,
			storage: { ...composition.storage, capabilities: storage.current.capabilities },
			eventBus: { ...composition.eventBus, capabilities: eventBus.capabilities },
		});
		await host.start(retryStartup);
		try {
			await retryStartup(() => assertNoUnfinishedDatabaseMove(storage.current, kernel.clock.now()));
			await retryStartup(() => node.heartbeat.start());
			await kernel.changes.start();
			await retryStartup(kernel.register);
			for (const feature of kernel.extensions.features) await retryStartup(async () => feature.start?.());
			if (roles.includes("worker")) await Promise.all([kernel.leases.start(), kernel.scheduler.crossNodeWakeup.start()]);
			await node.lifecycle.startWork();
			logger.info("engine started", { node_id: kernel.nodeId, roles, runners: [...runners.keys()] });
		} catch (error) {
			// Do not call `stop`, which waits for this start.
			await this.#endRuns(0)
				.then(() => this.#close())
				.catch(() => undefined);
			throw error;
		}
	}

	async #drain(): Promise<void> {
		const { dependencies, node, halting } = this.#parts;
		// Stop the node before waiting for anything, so that it immediately reports itself as not ready and starts no work.
		halting.abort();
		node.lifecycle.stopWork().catch(() => undefined);
		// Wait for a start in progress, which would otherwise start the background loops again.
		await this.#starting?.catch(() => undefined);
		const { graceful_shutdown: isGraceful, exit_still_active_check: gracePeriodSeconds } = dependencies.options.actionrunner;
		await this.#endRuns(isGraceful ? gracePeriodSeconds * 1_000 : 0);
	}

	/**
	 * Stops the background loops, lets runs continue for the grace period, then aborts those that are left. Runs that another process can
	 * continue are handed over immediately. Resolves when no run is active.
	 */
	async #endRuns(graceMilliseconds: number): Promise<void> {
		const { node, kernel } = this.#parts;
		const { runs } = kernel.executor;
		const aborted = new RunAborted("shutdown", "the service was stopped while the action ran");
		// Stop the node before waiting for anything, so that no run begins meanwhile.
		const stopped = node.lifecycle.stopWork();
		runs.handOverAll(aborted);
		const idle = stopped.then(() => kernel.scheduler.idle());
		await settledWithin(Promise.race([idle, this.#graceEnded]), graceMilliseconds);
		runs.abortAll(aborted);
		await idle;
	}

	async #close(): Promise<void> {
		const { host, kernel, node } = this.#parts;
		for (const feature of [...kernel.extensions.features].reverse()) {
			try {
				await feature.stop?.();
			} catch (error) {
				// The other features and the plugins must be stopped even if one feature fails.
				kernel.logger.error("a feature did not stop cleanly", { error });
			}
		}
		kernel.scheduler.crossNodeWakeup.stop();
		await kernel.leases.stop();
		kernel.changes.stop();
		await node.heartbeat.stop();
		await host.stop();
	}
}
