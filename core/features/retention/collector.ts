import { type Clock, isSvcError, type Logger, type Options, type Storage } from "../../contract/index.ts";
import { createPace, type Pace } from "../../kernel/aging/pace.ts";
import { createRemoval, type Removal, type RemovedRecords, removeAged } from "../../kernel/aging/removal.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { wait } from "../../kernel/basics/wait.ts";
import type { AgingRecords } from "../../kernel/feature.ts";
import { removeDeliveries, removeEnforcements, removeInstances, removeTraces } from "./remove-events.ts";
import { removeExecutions } from "./remove-executions.ts";
import { removeOutput } from "./remove-output.ts";
import { createSnapshotSweep } from "./snapshot-sweep.ts";

export interface CollectorParts {
	readonly storage: Storage;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly options: Options["garbagecollector"];
	/** What features say grows old, besides what has steps of its own here. */
	readonly aging: () => readonly AgingRecords[];
	/** End inquiries whose time has passed. */
	readonly endInquiries: (signal: AbortSignal) => Promise<unknown>;
}

interface Step {
	/** What the log calls it. */
	readonly name: string;
	readonly isWanted: boolean;
	run(removal: Removal): Promise<unknown>;
}

/** Removes what has passed its time (`garbagecollector`). */
export interface Collector {
	/** From the beginning to the end, or until the signal aborts. */
	collect(signal: AbortSignal): Promise<void>;
	/** Somebody else has removed something: the next time gives its room back. */
	noteRemoval(): void;
}

export function createCollector(parts: CollectorParts): Collector {
	const { storage, clock, logger, options } = parts;
	const sweepSnapshots = createSnapshotSweep();
	let tracesFrom: string | undefined;
	/** Whether there may be room to give back to the system. */
	let hasRoom = false;

	const beforeDays = (days: number) => toTimestamp(clock.now() - days * 86_400_000_000);
	const aged = (days: number, run: (removal: Removal, range: { readonly before: string }) => Promise<unknown>) => ({
		isWanted: days > 0,
		run: (removal: Removal) => run(removal, { before: beforeDays(days) }),
	});

	const toStep = ({ kind, time, days }: AgingRecords): Step => ({
		name: kind,
		isWanted: true,
		// Which field a kind has is beyond the compiler here.
		run: (removal) => removeAged(removal, { kind, time: time as "id", before: beforeDays(days) }),
	});

	// In the order of reference 4.9, save for traces, which go once all that belongs to them has gone.
	const steps: readonly Step[] = [
		{ name: "executions", ...aged(options.purge_executions_ttl, removeExecutions) },
		{ name: "output", ...aged(options.action_executions_ttl, removeOutput) },
		{ name: "trigger instances", ...aged(options.trigger_instances_ttl, removeInstances) },
		{ name: "webhook deliveries", ...aged(options.webhook_deliveries_ttl, removeDeliveries) },
		{ name: "rule enforcements", ...aged(options.rule_enforcements_ttl, removeEnforcements) },
		{
			name: "traces",
			...aged(options.traces_ttl, async (removal, { before }) => {
				tracesFrom = await removeTraces(removal, { before, from: tracesFrom });
			}),
		},
		{ name: "inquiries", isWanted: options.purge_inquiries, run: ({ pace }) => parts.endInquiries(pace.signal) },
		{ name: "snapshots", isWanted: options.purge_executions_ttl > 0, run: sweepSnapshots },
	];

	/** One that fails does not keep the others from their work, unless the storage is away for all of them. */
	async function perform({ name, run }: Step, pace: Pace): Promise<boolean> {
		const removal = createRemoval({ storage, pace, now: toTimestamp(clock.now()) });
		try {
			await run(removal);
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			logger.error("old records could not be removed", { records: name, error });
		}
		return report(removal.removed());
	}

	function report(removed: RemovedRecords): boolean {
		const counts = Object.entries(removed).filter(([, count]) => count > 0);
		for (const [kind, count] of counts) logger.info("old records removed", { kind, count });
		return counts.length > 0;
	}

	async function compact(pace: Pace): Promise<void> {
		if (!hasRoom || storage.compact === undefined) return;
		try {
			while (hasRoom && !pace.signal.aborted) hasRoom = (await pace.run(async () => storage.compact?.())) ?? false;
		} catch (error) {
			// Everything has been removed; the next time gives back the rest.
			logger.warn("room of removed records could not be given back", { error });
		}
	}

	return {
		async collect(signal) {
			const pace = createPace(signal);
			for (const step of [...steps, ...parts.aging().map(toStep)]) {
				if (signal.aborted) return;
				if (!step.isWanted || !(await perform(step, pace))) continue;
				hasRoom = true;
				await wait(options.sleep_delay * 1_000, signal);
			}
			await compact(pace);
		},
		noteRemoval() {
			hasRoom = true;
		},
	};
}
