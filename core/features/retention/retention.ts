import { SvcError } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { SingletonTask } from "../../kernel/coordination/singleton-task.ts";
import { createBackgroundThrottle } from "../../kernel/expiry/background-throttle.ts";
import { isExpiryCursor } from "../../kernel/expiry/expired-records.ts";
import { type RemovalPass, removeExpired, startRemovalPass } from "../../kernel/expiry/removal.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { type CollectorDependencies, GarbageCollector } from "./garbage-collector.ts";
import { removeDeliveries, removeEnforcements, removeTraces, removeTriggerInstances } from "./remove-event-records.ts";
import { type ExecutionRange, removeExecutions } from "./remove-executions.ts";
import { removeOutput } from "./remove-output.ts";
import type { PurgeInput, PurgeReport, Retention } from "./retention-exports.ts";

export interface RetentionDependencies
	extends Omit<CollectorDependencies, "options">,
		Uses<"eventBus" | "options">,
		Pick<Kernel, "leasing"> {}

export function createRetention(parts: RetentionDependencies): Retention & { start(): void; stop(): Promise<void> } {
	const { storage, clock, logger } = parts;
	const { garbagecollector: options } = parts.options;
	const stopping = new AbortController();
	const purging = new Set<Promise<unknown>>();
	const collector = new GarbageCollector({ ...parts, options });
	const duty = new SingletonTask(parts, {
		name: "garbage_collection",
		intervalSeconds: options.collection_interval,
		work: (signal) => collector.collect(signal),
	});

	return {
		start: () => duty.start(),
		async collect() {
			logger.info("garbage collection requested");
			try {
				const isDone = await duty.runNow();
				logger.info(isDone ? "requested garbage collection has ended" : "another node runs the requested garbage collection");
				return isDone;
			} catch (error) {
				logger.error("requested garbage collection has failed", { error });
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

const removals: Readonly<Record<string, (removal: RemovalPass, range: ExecutionRange) => Promise<string | undefined>>> = {
	executions: removeExecutions,
	output: removeOutput,
	trigger_instances: removeTriggerInstances,
	rule_enforcements: removeEnforcements,
	webhook_deliveries: removeDeliveries,
	traces: removeTraces,
	tokens: (removal, range) => removeExpired(removal, { kind: "token", timeField: "expiry", ...range }),
};

/** Kinds of records that can be purged. */
const purgeKinds: readonly string[] = Object.keys(removals);

/** Milliseconds after which a purge begins no new page of records. The caller continues with `next`. */
const maxTurn = 1_000;

interface PurgeDependencies extends Uses<"storage" | "clock" | "logger"> {
	/** Aborts when the service stops. */
	readonly signal: AbortSignal;
}

/**
 * Removes records of a kind that are older than a given time. One call works for about a second, and returns in `next` where the next call
 * continues. Several nodes may purge at once.
 */
export async function purge(parts: PurgeDependencies, kind: string, input: PurgeInput, principal: Principal): Promise<PurgeReport> {
	const run = Object.hasOwn(removals, kind) ? removals[kind] : undefined;
	if (run === undefined)
		throw new SvcError("SVC_NOT_FOUND", `records: must be one of ${purgeKinds.join(", ")}; "${kind}" cannot be purged`);
	const { timestamp: before, action_ref: actionRef, purge_incomplete: incomplete, dry_run: isDryRun = false, from } = input;
	const { clock } = parts;
	const now = toTimestamp(clock.now());
	// A caller on the same machine may read the present time from a clock that is some milliseconds ahead of that of the engine.
	if (before > now && before > toTimestamp(clock.wall())) throw new SvcError("SVC_INVALID", "timestamp: must not be in the future");
	if (from !== undefined && !isExpiryCursor(from))
		throw new SvcError("SVC_INVALID", "from: must be the value of next in an earlier response");
	if (kind !== "executions" && (actionRef !== undefined || incomplete !== undefined)) {
		throw new SvcError("SVC_INVALID", "action_ref, purge_incomplete: allowed only for executions");
	}
	const removal = startRemovalPass({ storage: parts.storage, pace: createBackgroundThrottle(parts.signal, maxTurn), now, isDryRun });
	const next = await run(removal, { before, from, ...(actionRef !== undefined && { actionRef }), ...(incomplete && { incomplete }) });
	if (parts.signal.aborted)
		throw new SvcError("SVC_UNAVAILABLE", "the service is stopping; send the request to another node, or try again later");
	const removed = removal.removedRecords();
	if (!isDryRun) parts.logger.info("records purged", { records: kind, user: principal.username, before, ...removed });
	return { removed, next: next ?? null };
}
