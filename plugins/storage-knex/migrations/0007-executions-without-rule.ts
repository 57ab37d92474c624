import type { Migration } from "./migration.ts";

const ruleIndexes = [["rule_name", "start_timestamp", "parent_id"]];

/** Extends the index of rules to executions without a rule. Its name does not change. */
export const executionsWithoutRule: Migration = {
	name: "0007-executions-without-rule",
	droppedIndexes: { executions: ruleIndexes },
	indexes: { executions: { indexes: ruleIndexes } },
};
