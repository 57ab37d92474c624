import type { EventBus, Logger, Options, Storage } from "../../contract/index.ts";
import type { EngineClock } from "../../kernel/basics/clock.ts";
import type { Leasing } from "../../kernel/coordination/lease-duration.ts";
import { Duty } from "../../kernel/coordination/singleton-task.ts";
import type { AgingRecords } from "../../kernel/feature.ts";
import { Collector } from "./collector.ts";
import { purge } from "./purge.ts";
import type { Retention } from "./retention-api.ts";

export interface RetentionNeeds {
	/** End inquiries whose time has passed. */
	readonly endInquiries: (signal: AbortSignal) => Promise<unknown>;
	/** End workflows that a defect has left standing. */
	readonly endIdleWorkflows: (signal: AbortSignal) => Promise<unknown>;
	/** Remove content of packs that nothing needs: how much. */
	readonly collectContent: (signal: AbortSignal) => Promise<number>;
}

export interface RetentionParts extends RetentionNeeds {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly logger: Logger;
	readonly leasing: Leasing;
	readonly options: Options;
	/** What features say grows old. */
	readonly aging: () => readonly AgingRecords[];
}

export function createRetention(parts: RetentionParts): Retention & { start(): void; stop(): Promise<void> } {
	const { storage, clock, logger } = parts;
	const { garbagecollector: options } = parts.options;
	const stopping = new AbortController();
	const purging = new Set<Promise<unknown>>();
	const { aging, endInquiries, endIdleWorkflows, collectContent } = parts;
	const collector = new Collector({ storage, clock, logger, options, aging, endInquiries, endIdleWorkflows, collectContent });
	const duty = new Duty(parts, {
		name: "garbage_collection",
		interval: options.collection_interval,
		work: (signal) => collector.collect(signal),
	});

	return {
		start: () => duty.start(),
		async collect() {
			logger.info("garbage collection asked for");
			try {
				const isDone = await duty.perform();
				logger.info(isDone ? "garbage collection asked for has ended" : "garbage collection asked for is left to another node");
				return isDone;
			} catch (error) {
				logger.error("garbage collection asked for has failed", { error });
				throw error;
			}
		},
		async purge(kind, input, principal) {
			const work = purge({ storage, clock, logger, signal: stopping.signal }, kind, input, principal);
			const settled = work.catch(() => undefined).finally(() => purging.delete(settled));
			purging.add(settled);
			const report = await work;
			if (input.dry_run !== true) collector.noteRemoval();
			return report;
		},
		async stop() {
			stopping.abort();
			await Promise.all([duty.stop(), ...purging]);
		},
	};
}
