import { SvcError } from "../contract/index.ts";
import type { WholeKernel } from "./kernel.ts";
import { assertShareable } from "./nodes/cluster-checks.ts";
import { assertNotMoving } from "./nodes/database-move.ts";
import type { Node } from "./nodes/node.ts";
import { createRunEnding } from "./nodes/run-shutdown.ts";
import type { EngineDependencies } from "./plugins/engine-dependencies.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import type { Persist } from "./plugins/startup-retry.ts";

export interface EngineLifeParts {
	readonly dependencies: EngineDependencies;
	readonly host: PluginHost;
	readonly kernel: WholeKernel;
	readonly node: Node;
	readonly persist: Persist;
	/** Aborted when the engine is to stop. */
	readonly halting: AbortController;
}

/** Start and end of an engine, in the order that its parts need. */
export class EngineLife {
	readonly #parts: EngineLifeParts;
	readonly #runEnding: ReturnType<typeof createRunEnding>;
	#starting: Promise<void> | undefined;
	#draining: Promise<void> | undefined;
	#stopping: Promise<void> | undefined;

	constructor(parts: EngineLifeParts) {
		this.#parts = parts;
		this.#runEnding = createRunEnding({ node: parts.node, runs: parts.kernel.executor.runs, scheduler: parts.kernel.scheduler });
	}

	/** Once, however often it is called. Rejects after `drain` or `stop`. */
	start(): Promise<void> {
		return (this.#starting ??= this.#start());
	}

	/** Take on nothing more, wait for running actions as long as the configuration says, then end them. */
	drain(): Promise<void> {
		return (this.#draining ??= this.#drain());
	}

	/** The same without waiting. */
	async abort(): Promise<void> {
		this.#runEnding.force();
		await this.drain();
	}

	/** Drain, then close everything. */
	stop(): Promise<void> {
		return (this.#stopping ??= this.drain().then(() => this.#close()));
	}

	async #start(): Promise<void> {
		const { dependencies, host, kernel, node, persist, halting } = this.#parts;
		const { composition, logger, roles } = dependencies;
		if (halting.signal.aborted) throw new SvcError("SVC_UNAVAILABLE", "the engine was stopped before it had started");
		assertShareable({
			roles,
			storage: { ...composition.storage, capabilities: host.storage.capabilities },
			eventBus: { ...composition.eventBus, capabilities: host.eventBus.capabilities },
		});
		await host.start(persist);
		try {
			await persist(() => assertNotMoving(host.storage, kernel.clock.now()));
			await node.register();
			await kernel.changes.start();
			await persist(kernel.register);
			for (const feature of kernel.seams.features) await persist(async () => feature.start?.());
			if (roles.includes("worker")) await Promise.all([kernel.leases.start(), kernel.pendingWork.start()]);
			await node.begin();
			logger.info("engine started", { node_id: kernel.nodeId, roles, runners: [...host.runners.keys()] });
		} catch (error) {
			// Not by way of `stop`, which waits for this start.
			await this.#runEnding
				.end(0)
				.then(() => this.#close())
				.catch(() => undefined);
			throw error;
		}
	}

	async #drain(): Promise<void> {
		const { dependencies, node, halting } = this.#parts;
		// Told before anything is waited for: not ready any more, and nothing new is taken on.
		halting.abort();
		node.end().catch(() => undefined);
		// A start under way would begin to work again.
		await this.#starting?.catch(() => undefined);
		const { graceful_shutdown: graceful, exit_still_active_check: grace } = dependencies.options.actionrunner;
		await this.#runEnding.end(graceful ? grace * 1_000 : 0);
	}

	async #close(): Promise<void> {
		const { host, kernel, node } = this.#parts;
		for (const feature of [...kernel.seams.features].reverse()) {
			try {
				await feature.stop?.();
			} catch (error) {
				// The others must be stopped, and the plugins, whatever becomes of one.
				kernel.logger.error("a feature did not stop cleanly", { error });
			}
		}
		kernel.pendingWork.stop();
		await kernel.leases.stop();
		kernel.changes.stop();
		await node.leave();
		await host.stop();
	}
}
