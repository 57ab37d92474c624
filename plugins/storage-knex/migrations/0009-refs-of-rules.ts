import type { Migration, TableDefinition } from "./migration.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
	rule_refs: {
		columns: { id: "text", rule_id: "text", rule_ref: "text" },
		unique: [["rule_id", "rule_ref"]],
	},
};

/**
 * Replaces the unique index of enforcements on rule and event by one on event and rule, in which the entries of one event are adjacent. The
 * enforcements of a rule are now found by the refs that the rule has had, which the new table lists. They are taken from existing
 * enforcements, and from all rules, because nodes of earlier versions may still create enforcements.
 */
export const refsOfRules: Migration = {
	name: "0009-refs-of-rules",
	tables,
	insertedRows: {
		rule_refs: `select min(id), rule_id, rule_ref from (
			select id, rule_id, rule_ref from rule_enforcements union all select id, id, ref from rules
		) acts group by rule_id, rule_ref`,
	},
	droppedIndexes: { rule_enforcements: [["rule_ref", "enforced_at"], ["trigger_instance_id"]] },
	droppedUniqueIndexes: { rule_enforcements: [["rule_id", "trigger_instance_id"]] },
	indexes: {
		rule_enforcements: { unique: [["trigger_instance_id", "rule_id"]], indexes: [["rule_ref", "enforced_at", "rule_id"]] },
	},
};
