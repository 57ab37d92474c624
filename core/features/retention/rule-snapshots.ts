import type { Removal } from "../../kernel/expiry/removal.ts";
import { toRuleSnapshot } from "../rules/rule-snapshot-api.ts";
import { findUnused, type SweptSnapshots } from "./snapshot-sweep.ts";

/** Snapshots of rules with their triggers. */
export const ruleSnapshots: SweptSnapshots = {
	kind: "rule_snapshot",
	readCandidates,
	toUnused: (removal, rule_name, ids) => findUnused(removal, { where: { rule_name }, field: "rule_snapshot_id" }, ids),
};

/** Ids of snapshots that are not how a rule is now, by the name of the rule. */
async function readCandidates({ storage, pace }: Removal): Promise<ReadonlyMap<string, readonly string[]>> {
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

/** The snapshots that rules would be given now. */
async function readCurrent(storage: Removal["storage"], ids: readonly string[]): Promise<ReadonlySet<string>> {
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
