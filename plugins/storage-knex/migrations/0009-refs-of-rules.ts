import type { Migration, TableDefinition } from "./migration.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
	rule_refs: {
		columns: { id: "text", rule_id: "text", rule_ref: "text" },
		unique: [["rule_id", "rule_ref"]],
	},
};

/**
 * Enforcements by rule and event lie apart, a place for each rule, by event and rule they lie together. Those of a rule are found by
 * its refs: of what has acted, and of the rules there are, which nodes of earlier versions may still let act.
 */
export const refsOfRules: Migration = {
	name: "0009-refs-of-rules",
	tables,
	filled: {
		rule_refs: `select min(id), rule_id, rule_ref from (
			select id, rule_id, rule_ref from rule_enforcements union all select id, id, ref from rules
		) acts group by rule_id, rule_ref`,
	},
	dropped: { rule_enforcements: [["rule_ref", "enforced_at"], ["trigger_instance_id"]] },
	droppedUnique: { rule_enforcements: [["rule_id", "trigger_instance_id"]] },
	indexes: {
		rule_enforcements: { unique: [["trigger_instance_id", "rule_id"]], indexes: [["rule_ref", "enforced_at", "rule_id"]] },
	},
};
