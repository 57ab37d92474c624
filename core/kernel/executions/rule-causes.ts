import type { ExecutionEntity, RuleSnapshotEntity, Storage, TriggerInstanceEntity } from "../../contract/index.ts";

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
}

/** Snapshots kept in memory: streams ask for those of the rules that act at the moment, again and again. */
const limit = 500;

/** Reads what rules have started executions from. An execution refers to it, as many come of one event or one rule. */
export class RuleCauses {
	readonly #storage: Storage;
	/** What a snapshot holds never changes. */
	readonly #snapshots = new Map<string, RuleSnapshotEntity>();

	constructor(storage: Storage) {
		this.#storage = storage;
	}

	/** By the ids of the executions; of those alone that a rule has started. */
	async of(executions: readonly ExecutionEntity[], { snapshots, instances }: CauseSelection): Promise<ReadonlyMap<string, RuleCause>> {
		const started = executions.filter(({ trigger_instance_id }) => typeof trigger_instance_id === "string");
		if (started.length === 0) return new Map();
		const [rules, events] = await Promise.all([
			snapshots ? this.#readSnapshots(toIds(started, "rule_snapshot_id")) : undefined,
			instances ? this.#readInstances(toIds(started, "trigger_instance_id")) : undefined,
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
			this.#remember(snapshot);
		}
		return found;
	}

	#remember(snapshot: RuleSnapshotEntity): void {
		const [oldest] = this.#snapshots.keys();
		if (this.#snapshots.size >= limit && oldest !== undefined) this.#snapshots.delete(oldest);
		this.#snapshots.set(snapshot.id, snapshot);
	}

	async #readInstances(ids: readonly string[]): Promise<ReadonlyMap<string, TriggerInstanceEntity>> {
		const read = await this.#storage.find("trigger_instance", { where: { id: { in: ids } } });
		return new Map(read.map((instance) => [instance.id, instance]));
	}
}

function toIds(executions: readonly ExecutionEntity[], field: "rule_snapshot_id" | "trigger_instance_id"): readonly string[] {
	return [...new Set(executions.flatMap((execution) => execution[field] ?? []))];
}
