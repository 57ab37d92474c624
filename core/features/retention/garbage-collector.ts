import { isSvcError, type Options } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { type BackgroundThrottle, createBackgroundThrottle } from "../../kernel/expiry/background-throttle.ts";
import { type RemovalPass, type RemovedRecords, removeExpired, startRemovalPass } from "../../kernel/expiry/removal.ts";
import type { ExpiringRecords } from "../../kernel/feature.ts";
import { wait } from "../../lib/wait.ts";
import { toRuleSnapshot } from "../rules/rule-snapshot-exports.ts";
import { removeDeliveries, removeEnforcements, removeTraces, removeTriggerInstances } from "./remove-event-records.ts";
import { removeExecutions } from "./remove-executions.ts";
import { removeOutput } from "./remove-output.ts";
import { actionSnapshots, createSnapshotSweep, findUnused, type SweptSnapshots } from "./snapshot-sweep.ts";

/** Functions of other features that find or remove records without use. */
export interface RetentionHooks {
	/** Ends inquiries that have expired. */
	readonly endInquiries: (signal: AbortSignal) => Promise<unknown>;
	/** Ends workflows that a defect has left without activity. */
	readonly endIdleWorkflows: (signal: AbortSignal) => Promise<unknown>;
	/** Removes unused contents of packs. Returns how many contents were removed. */
	readonly collectContent: (signal: AbortSignal) => Promise<number>;
}

export interface CollectorDependencies extends RetentionHooks, Uses<"storage" | "clock" | "logger"> {
	readonly options: Options["garbagecollector"];
	/** Returns the kinds of expiring records that features declare, in addition to the kinds that have steps here. */
	readonly aging: () => readonly ExpiringRecords[];
}

interface Step {
	/** Name of the step in the log. */
	readonly name: string;
	readonly isWanted: boolean;
	run(removal: RemovalPass): Promise<unknown>;
}

type RunAged = (removal: RemovalPass, range: { readonly before: string }) => Promise<unknown>;

/** Removes expired records, as configured in `garbagecollector`. */
export class GarbageCollector {
	readonly #parts: CollectorDependencies;
	readonly #steps: readonly Step[];
	#tracesFrom: string | undefined;
	/** True if removed records may have left space to release to the operating system. */
	#hasRoom = false;

	constructor(parts: CollectorDependencies) {
		this.#parts = parts;
		this.#steps = this.#createSteps();
	}

	/** Runs every step once, or until the signal aborts. */
	async collect(signal: AbortSignal): Promise<void> {
		const { aging, options } = this.#parts;
		const pace = createBackgroundThrottle(signal);
		for (const step of [...this.#steps, ...aging().map((records) => this.#toStep(records))]) {
			if (signal.aborted) return;
			if (!step.isWanted || !(await this.#perform(step, pace))) continue;
			this.#hasRoom = true;
			await wait(options.sleep_delay * 1_000, signal);
		}
		await this.#compact(pace);
	}

	/** Notes that records were removed outside of `collect`, so that its next run releases their space. */
	noteRemoval(): void {
		this.#hasRoom = true;
	}

	/**
	 * Creates the steps in their fixed order.
	 * Traces come after the kinds that refer to them: a trace is removed once nothing refers to it.
	 */
	#createSteps(): readonly Step[] {
		const { options, endInquiries, endIdleWorkflows, collectContent } = this.#parts;
		const sweeps = options.purge_executions_ttl > 0;
		return [
			{ name: "executions", ...this.#aged(options.purge_executions_ttl, removeExecutions) },
			{ name: "output", ...this.#aged(options.action_executions_ttl, removeOutput) },
			{ name: "trigger instances", ...this.#aged(options.trigger_instances_ttl, removeTriggerInstances) },
			{ name: "webhook deliveries", ...this.#aged(options.webhook_deliveries_ttl, removeDeliveries) },
			{ name: "rule enforcements", ...this.#aged(options.rule_enforcements_ttl, removeEnforcements) },
			{
				name: "traces",
				...this.#aged(options.traces_ttl, async (removal, { before }) => {
					this.#tracesFrom = await removeTraces(removal, { before, from: this.#tracesFrom });
				}),
			},
			{ name: "inquiries", isWanted: options.purge_inquiries, run: ({ pace }) => endInquiries(pace.signal) },
			{ name: "idle workflows", isWanted: true, run: ({ pace }) => endIdleWorkflows(pace.signal) },
			{
				name: "content of packs",
				isWanted: true,
				run: async ({ pace }) => {
					if ((await collectContent(pace.signal)) > 0) this.#hasRoom = true;
				},
			},
			...[actionSnapshots, ruleSnapshots].map((swept) => ({ name: "snapshots", isWanted: sweeps, run: createSnapshotSweep(swept) })),
		];
	}

	#aged(days: number, run: RunAged): Omit<Step, "name"> {
		return { isWanted: days > 0, run: (removal) => run(removal, { before: this.#beforeDays(days) }) };
	}

	#toStep({ kind, timeField, days }: ExpiringRecords): Step {
		return {
			name: kind,
			isWanted: true,
			// The compiler cannot infer here which fields the kind has.
			run: (removal) => removeExpired(removal, { kind, timeField: timeField as "id", before: this.#beforeDays(days) }),
		};
	}

	#beforeDays(days: number): string {
		return toTimestamp(this.#parts.clock.now() - days * 86_400_000_000);
	}

	/** Runs one step. If it fails, the other steps still run, unless the storage is unavailable, which would fail them all. */
	async #perform({ name, run }: Step, pace: BackgroundThrottle): Promise<boolean> {
		const { storage, clock, logger } = this.#parts;
		const removal = startRemovalPass({ storage, pace, now: toTimestamp(clock.now()) });
		try {
			await run(removal);
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			logger.error("old records could not be removed", { records: name, error });
		}
		return this.#report(removal.removedRecords());
	}

	#report(removed: RemovedRecords): boolean {
		const counts = Object.entries(removed).filter(([, count]) => count > 0);
		for (const [kind, count] of counts) this.#parts.logger.info("old records removed", { kind, count });
		return counts.length > 0;
	}

	async #compact(pace: BackgroundThrottle): Promise<void> {
		const { storage, logger } = this.#parts;
		if (!this.#hasRoom || storage.compact === undefined) return;
		try {
			while (this.#hasRoom && !pace.signal.aborted) this.#hasRoom = (await pace.run(async () => storage.compact?.())) ?? false;
		} catch (error) {
			// All expired records have been removed; the next run releases the remaining space.
			logger.warn("freeing the space of removed records failed", { error });
		}
	}
}

/** Snapshots of rules with their triggers. */
const ruleSnapshots: SweptSnapshots = {
	kind: "rule_snapshot",
	readCandidates,
	toUnused: (removal, rule_name, ids) => findUnused(removal, { where: { rule_name }, field: "rule_snapshot_id" }, ids),
};

/** Returns ids of snapshots that differ from the current state of their rule, by the name of the rule. */
async function readCandidates({ storage, pace }: RemovalPass): Promise<ReadonlyMap<string, readonly string[]>> {
	const candidates = new Map<string, string[]>();
	for (let after = ""; !pace.signal.aborted; ) {
		const page = await pace.run((limit) => storage.find("rule_snapshot", { where: { id: { gt: after } }, limit, fields: ["rule"] }));
		const last = page.at(-1);
		if (last === undefined) break;
		const current = await pace.run(() => readCurrent(storage, [...new Set(page.map(({ rule }) => rule.id))]));
		for (const { id, rule } of page) {
			if (!current.has(id)) candidates.set(rule.name, [...(candidates.get(rule.name) ?? []), id]);
		}
		after = last.id;
	}
	return candidates;
}

/** Returns the ids of the snapshots that match the current rules, triggers and trigger types. */
async function readCurrent(storage: RemovalPass["storage"], ids: readonly string[]): Promise<ReadonlySet<string>> {
	const rules = await storage.find("rule", { where: { id: { in: ids } } });
	const triggers = await storage.find("trigger", { where: { ref: { in: rules.map(({ trigger }) => trigger) } } });
	const types = await storage.find("trigger_type", { where: { ref: { in: triggers.map(({ type }) => type) } } });
	const typeOf = new Map(types.map((type) => [type.ref, type]));
	const found = triggers.flatMap((trigger) => {
		const type = typeOf.get(trigger.type);
		return type === undefined ? [] : [[trigger.ref, { trigger, type }] as const];
	});
	const resolved = new Map(found);
	return new Set(rules.map((rule) => toRuleSnapshot(rule, resolved.get(rule.trigger)).id));
}
