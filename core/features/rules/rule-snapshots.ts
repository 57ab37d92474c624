import { isSvcError, type RuleEntity, type RuleSnapshotEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { insertIfAbsent } from "../../kernel/basics/insert-if-absent.ts";
import type { ResolvedTrigger } from "../../kernel/events/trigger-catalog.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { toRuleSnapshot } from "./rule-snapshot-exports.ts";

export type RuleSnapshotDependencies = Uses<"storage"> & Pick<Kernel, "triggerCatalog">;

/** Stores rules as they are when they act, so that executions can show them after a change or deletion. Stores one snapshot per change. */
export class RuleSnapshots {
	readonly #parts: RuleSnapshotDependencies;
	/** Ids of stored snapshots, by resolved trigger and revision of the rule, so that an execution normally needs only this lookup. */
	readonly #stored = new WeakMap<ResolvedTrigger, Map<string, Promise<string>>>();

	constructor(parts: RuleSnapshotDependencies) {
		this.#parts = parts;
	}

	/** Returns the id of the snapshot of a rule. The snapshot is stored when the promise resolves. */
	async of(rule: RuleEntity): Promise<string> {
		const trigger = await this.#findTrigger(rule);
		if (trigger === undefined) return this.#store(toRuleSnapshot(rule, undefined));
		let ids = this.#stored.get(trigger);
		if (ids === undefined) this.#stored.set(trigger, (ids = new Map<string, Promise<string>>()));
		const known = ids.get(rule.revision);
		if (known !== undefined) return known;
		const storing = this.#store(toRuleSnapshot(rule, trigger));
		ids.set(rule.revision, storing);
		storing.catch(() => ids.delete(rule.revision));
		return storing;
	}

	async #findTrigger({ trigger }: RuleEntity): Promise<ResolvedTrigger | undefined> {
		try {
			return await this.#parts.triggerCatalog.resolve(trigger);
		} catch (error) {
			if (isSvcError(error, "SVC_INVALID")) return undefined;
			throw error;
		}
	}

	async #store(snapshot: RuleSnapshotEntity): Promise<string> {
		const { storage } = this.#parts;
		// The id is derived from the content, so a stored snapshot with this id is identical.
		if ((await storage.get("rule_snapshot", snapshot.id)) === undefined) {
			await insertIfAbsent(() => storage.insert("rule_snapshot", [snapshot]));
		}
		return snapshot.id;
	}
}
