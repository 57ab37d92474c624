import type { TraceEntity } from "../../contract/index.ts";
import { fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import { forEachExpiredPage } from "../../kernel/expiry/expired-records.ts";
import { type RemovalPass, type RemovalRange, removeExpired } from "../../kernel/expiry/removal.ts";
import { triggerRefs } from "../triggers/trigger-type-refs-exports.ts";
import { defaultWindow, type HookParameters } from "../webhooks/hook-parameters-exports.ts";

/** Removes trigger instances that rules have finished processing. */
export function removeTriggerInstances(removal: RemovalPass, range: RemovalRange): Promise<string | undefined> {
	const where = { status: { in: ["processed", "processing_failed"] } } as const;
	return removeExpired(removal, { kind: "trigger_instance", timeField: "occurrence_time", where, ...range });
}

/** Removes enforcements. Enforcements of an unprocessed event stay, because a rule without them would act on the event a second time. */
export function removeEnforcements(removal: RemovalPass, range: RemovalRange): Promise<string | undefined> {
	const { storage, pace } = removal;
	const fields = ["trigger_instance_id"] as const;
	return removeExpired(removal, { kind: "rule_enforcement", timeField: "enforced_at", fields, ...range }, async (page) => {
		const ids = [...new Set(page.map(({ trigger_instance_id }) => trigger_instance_id))];
		const where = { id: { in: ids }, status: { in: ["pending", "processing"] } } as const;
		const waiting = await pace.run(() => storage.find("trigger_instance", { where, fields: ["id"] }));
		const kept = new Set(waiting.map(({ id }) => id));
		return page.filter(({ trigger_instance_id }) => !kept.has(trigger_instance_id));
	});
}

/** Removes deliveries, except those that a webhook still needs to detect duplicates. */
export async function removeDeliveries(removal: RemovalPass, { before, from }: RemovalRange): Promise<string | undefined> {
	const { storage, pace, now } = removal;
	const hooks = await pace.run(() => storage.find("trigger", { where: { type: triggerRefs.webhook }, fields: ["parameters"] }));
	const settings = hooks.flatMap(({ parameters }) => (parameters as unknown as HookParameters).deduplicate ?? []);
	const windows = settings.map(({ window = defaultWindow }) => window);
	const earliest = toTimestamp(fromTimestamp(now) - Math.max(0, ...windows) * 1_000_000);
	const limit = before < earliest ? before : earliest;
	return removeExpired(removal, { kind: "webhook_delivery", timeField: "received_at", before: limit, from });
}

/**
 * Maximum number of consecutive pages without an unused trace before the rest is deferred.
 * There may be as many used traces as executions.
 */
const maxFruitlessPages = 20;

/** Removes traces to which no record belongs. */
export function removeTraces(removal: RemovalPass, { before, from }: RemovalRange): Promise<string | undefined> {
	const { storage, pace } = removal;
	let fruitless = 0;

	async function findUsed(page: readonly TraceEntity[]): Promise<ReadonlySet<string>> {
		const where = { trace_id: { in: page.map(({ id }) => id) } };
		const used = new Set<string>();
		for (const kind of ["execution", "trigger_instance", "rule_enforcement"] as const) {
			for (const trace of await pace.run(() => storage.distinct(kind, "trace_id", where))) used.add(trace);
		}
		return used;
	}

	return forEachExpiredPage(removal, { kind: "trace", timeField: "start_timestamp", before, from }, async (page) => {
		const used = await findUsed(page);
		const unused = page.filter(({ id }) => !used.has(id));
		const ids = unused.map(({ id }) => id);
		fruitless = ids.length === 0 ? fruitless + 1 : 0;
		await removal.remove("trace", ids);
		return fruitless < maxFruitlessPages ? undefined : "enough";
	});
}
