import {
	type ExecutionEntity,
	type RuleSnapshotEntity,
	type Storage,
	stringifyJson,
	type TriggerInstanceEntity,
} from "../../contract/index.ts";
import { addToCache } from "../../lib/bounded-cache.ts";

/** Rule and event that started an execution, as they were at that time. */
export interface RuleAndEvent {
	/** The rule. Undefined if it was not requested or is not recorded, as for executions stored by an earlier version. */
	readonly snapshot: RuleSnapshotEntity | undefined;
	/** The event. Undefined if it was not requested, or has been removed since. */
	readonly instance: TriggerInstanceEntity | undefined;
}

/** Selection of the records to read. */
export interface TriggeringRuleSelection {
	/** True if the rule snapshots are read. */
	readonly snapshots: boolean;
	/** True if the events are read. They may be large. */
	readonly instances: boolean;
	/** True for executions that are changing now: their events are cached, so that each change does not read them again. Default false. */
	readonly isLive?: boolean;
}

/** Maximum number of cached rule snapshots. Streams read the snapshots of the currently active rules again and again. */
const maxCachedSnapshots = 500;
/** Maximum number of cached events. */
const maxCachedInstances = 200;
/** Maximum number of JSON characters of the payload of a cached event. */
const maxCachedPayloadLength = 16_384;

/**
 * Reads the rules and events that started executions. Executions refer to these records, because one rule or event may start many of them.
 */
export class TriggeringRules {
	readonly #storage: Storage;
	/** Cache of rule snapshots, which never change. */
	readonly #snapshots = new Map<string, RuleSnapshotEntity>();
	/** Cache of events, whose payload never changes. A cached status may be outdated, and a cached event may have been deleted since. */
	readonly #instances = new Map<string, TriggerInstanceEntity>();

	constructor(storage: Storage) {
		this.#storage = storage;
	}

	/** Returns rule and event by execution id, only for executions that a rule has started. */
	async findByExecution(
		executions: readonly ExecutionEntity[],
		{ snapshots, instances, isLive = false }: TriggeringRuleSelection,
	): Promise<ReadonlyMap<string, RuleAndEvent>> {
		const ruleExecutions = executions.filter(({ trigger_instance_id }) => typeof trigger_instance_id === "string");
		if (ruleExecutions.length === 0) return new Map();
		const [rules, events] = await Promise.all([
			snapshots ? this.#readSnapshots(toIds(ruleExecutions, "rule_snapshot_id")) : undefined,
			instances ? this.#readInstances(toIds(ruleExecutions, "trigger_instance_id"), isLive) : undefined,
		]);
		return new Map(
			ruleExecutions.map(({ id, rule_snapshot_id, trigger_instance_id }) => [
				id,
				{ snapshot: rules?.get(rule_snapshot_id ?? ""), instance: events?.get(trigger_instance_id ?? "") },
			]),
		);
	}

	async #readSnapshots(ids: readonly string[]): Promise<ReadonlyMap<string, RuleSnapshotEntity>> {
		const cached = ids.flatMap((id) => this.#snapshots.get(id) ?? []);
		const missing = ids.filter((id) => !this.#snapshots.has(id));
		const read = missing.length === 0 ? [] : await this.#storage.find("rule_snapshot", { where: { id: { in: missing } } });
		for (const snapshot of read) addToCache(this.#snapshots, snapshot.id, snapshot, maxCachedSnapshots);
		return new Map([...cached, ...read].map((snapshot) => [snapshot.id, snapshot]));
	}

	async #readInstances(ids: readonly string[], isLive: boolean): Promise<ReadonlyMap<string, TriggerInstanceEntity>> {
		if (isLive && ids.every((id) => this.#instances.has(id))) return this.#instances;
		const read = await this.#storage.find("trigger_instance", { where: { id: { in: ids } } });
		if (isLive) {
			const small = read.filter(({ payload }) => stringifyJson(payload).length <= maxCachedPayloadLength);
			for (const instance of small) addToCache(this.#instances, instance.id, instance, maxCachedInstances);
		}
		return new Map(read.map((instance) => [instance.id, instance]));
	}
}

function toIds(executions: readonly ExecutionEntity[], field: "rule_snapshot_id" | "trigger_instance_id"): readonly string[] {
	return [...new Set(executions.flatMap((execution) => execution[field] ?? []))];
}
