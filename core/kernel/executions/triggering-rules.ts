import {
	type ExecutionEntity,
	type RuleSnapshotEntity,
	type Storage,
	stringifyJson,
	type TriggerInstanceEntity,
} from "../../contract/index.ts";

/** What an execution was started by: rule and event as they were then. */
export interface RuleCause {
	/** Undefined where it is not known, as of executions that an earlier version has stored. */
	readonly snapshot: RuleSnapshotEntity | undefined;
	/** Undefined where it was not asked for, and when it has been removed since. */
	readonly instance: TriggerInstanceEntity | undefined;
}

/** Which parts of causes will be shown. */
export interface CauseSelection {
	readonly snapshots: boolean;
	/** They may be large. */
	readonly instances: boolean;
	/** Of executions that are changing at the moment: their events need not be read again with each change. Default false. */
	readonly isLive?: boolean;
}

/** Snapshots kept in memory: streams ask for those of the rules that act at the moment, again and again. */
const limit = 500;
/** Events kept in memory, and how long the JSON of a payload may be for that. */
const instanceLimit = 200;
const longestPayload = 16_384;

/** Reads what rules have started executions from. An execution refers to it, as many come of one event or one rule. */
export class RuleCauses {
	readonly #storage: Storage;
	/** What a snapshot holds never changes. */
	readonly #snapshots = new Map<string, RuleSnapshotEntity>();
	/** What came in never changes; whether it has been removed since matters only to those who look back. */
	readonly #instances = new Map<string, TriggerInstanceEntity>();

	constructor(storage: Storage) {
		this.#storage = storage;
	}

	/** By the ids of the executions; of those alone that a rule has started. */
	async of(
		executions: readonly ExecutionEntity[],
		{ snapshots, instances, isLive = false }: CauseSelection,
	): Promise<ReadonlyMap<string, RuleCause>> {
		const started = executions.filter(({ trigger_instance_id }) => typeof trigger_instance_id === "string");
		if (started.length === 0) return new Map();
		const [rules, events] = await Promise.all([
			snapshots ? this.#readSnapshots(toIds(started, "rule_snapshot_id")) : undefined,
			instances ? this.#readInstances(toIds(started, "trigger_instance_id"), isLive) : undefined,
		]);
		return new Map(
			started.map(({ id, rule_snapshot_id, trigger_instance_id }) => [
				id,
				{ snapshot: rules?.get(rule_snapshot_id ?? ""), instance: events?.get(trigger_instance_id ?? "") },
			]),
		);
	}

	async #readSnapshots(ids: readonly string[]): Promise<ReadonlyMap<string, RuleSnapshotEntity>> {
		const found = new Map<string, RuleSnapshotEntity>();
		for (const id of ids) {
			const kept = this.#snapshots.get(id);
			if (kept !== undefined) found.set(id, kept);
		}
		const missing = ids.filter((id) => !found.has(id));
		const read = missing.length === 0 ? [] : await this.#storage.find("rule_snapshot", { where: { id: { in: missing } } });
		for (const snapshot of read) {
			found.set(snapshot.id, snapshot);
			remember(this.#snapshots, snapshot, limit);
		}
		return found;
	}

	async #readInstances(ids: readonly string[], isLive: boolean): Promise<ReadonlyMap<string, TriggerInstanceEntity>> {
		if (isLive && ids.every((id) => this.#instances.has(id))) return this.#instances;
		const read = await this.#storage.find("trigger_instance", { where: { id: { in: ids } } });
		if (isLive) {
			for (const instance of read) {
				if (stringifyJson(instance.payload).length <= longestPayload) remember(this.#instances, instance, instanceLimit);
			}
		}
		return new Map(read.map((instance) => [instance.id, instance]));
	}
}

/** Keep a record in the place of the oldest. */
function remember<T extends { readonly id: string }>(kept: Map<string, T>, record: T, limit: number): void {
	const [oldest] = kept.keys();
	if (kept.size >= limit && oldest !== undefined) kept.delete(oldest);
	kept.set(record.id, record);
}

function toIds(executions: readonly ExecutionEntity[], field: "rule_snapshot_id" | "trigger_instance_id"): readonly string[] {
	return [...new Set(executions.flatMap((execution) => execution[field] ?? []))];
}
