import { SvcError } from "../contract/index.ts";
import { registerPacks } from "../features/packs/register-packs.ts";
import { registerReactions } from "../features/rules/register-from-packs.ts";
import type { EngineParts } from "./engine-parts.ts";
import { assertShareable } from "./nodes/assert-shareable.ts";
import type { EngineDependencies } from "./plugins/dependencies.ts";
import { assertNotMoving } from "./work/database-move.ts";

export interface EngineLife {
	/** Once, however often it is called. Rejects after `drain` or `stop`. */
	start(): Promise<void>;
	/** Take on nothing more, wait for running actions as long as the configuration says, then end them. */
	drain(): Promise<void>;
	/** The same without waiting. */
	abort(): Promise<void>;
	/** Drain, then close everything. */
	stop(): Promise<void>;
}

/** Start and end of an engine, in the order that its parts need. */
export function createEngineLife(dependencies: EngineDependencies, parts: EngineParts): EngineLife {
	const { options, logger, clock, roles, composition, packs } = dependencies;
	const { shared, host, halting, persist, changes, catalog, triggers, datastore, packConfigs, policing, ruling } = parts;
	const { pendingWork, leases, retention, sensorContainer, triggerTypes, node, runEnding, runs } = parts;
	let starting: Promise<void> | undefined;
	let draining: Promise<void> | undefined;
	let stopping: Promise<void> | undefined;

	async function start(): Promise<void> {
		if (halting.signal.aborted) throw new SvcError("SVC_UNAVAILABLE", "the engine was stopped before it had started");
		assertShareable({
			roles,
			storage: { ...composition.storage, capabilities: host.storage.capabilities },
			eventBus: { ...composition.eventBus, capabilities: host.eventBus.capabilities },
		});
		await host.start(persist);
		try {
			await persist(() => assertNotMoving(host.storage, clock.now()));
			await node.register();
			await changes.start();
			await persist(makeKnown);
			if (roles.includes("worker")) await Promise.all([leases.start(), pendingWork.start()]);
			await node.begin();
			retention.start();
			runs.start();
			logger.info("engine started", { node_id: shared.nodeId, roles, runners: [...host.runners.keys()] });
		} catch (error) {
			// Not by way of `stop`, which waits for this start.
			await runEnding
				.end(0)
				.then(close)
				.catch(() => undefined);
			throw error;
		}
	}

	/** Make the stored catalog say what the configuration and the packs say. Whatever is stored already stays the same. */
	async function makeKnown(): Promise<void> {
		await catalog.registerRunnerTypes(host.runners);
		await triggers.register();
		await datastore.start();
		await policing.start();
		const registered = await registerPacks({ ...shared, catalog }, packs);
		await sensorContainer.register();
		await registerReactions(
			{ ...shared, types: triggerTypes, rules: ruling.rules, policies: policing.policies, principal: ruling.principal },
			registered,
		);
		await packConfigs.check();
	}

	/** Wait for running actions as long as the configuration says, then end them. */
	async function drain(): Promise<void> {
		// Told before anything is waited for: not ready any more, and nothing new is taken on.
		halting.abort();
		node.end().catch(() => undefined);
		// A start under way would begin to work again.
		await starting?.catch(() => undefined);
		const { graceful_shutdown: graceful, exit_still_active_check: grace } = options.actionrunner;
		await runEnding.end(graceful ? grace * 1_000 : 0);
	}

	async function stop(): Promise<void> {
		await (draining ??= drain());
		await close();
	}

	async function close(): Promise<void> {
		await runs.stop();
		await retention.stop();
		pendingWork.stop();
		await leases.stop();
		changes.stop();
		await policing.stop();
		await datastore.stop();
		await node.leave();
		await host.stop();
	}

	return {
		start: () => (starting ??= start()),
		drain: () => (draining ??= drain()),
		async abort() {
			runEnding.force();
			await (draining ??= drain());
		},
		stop: () => (stopping ??= stop()),
	};
}
