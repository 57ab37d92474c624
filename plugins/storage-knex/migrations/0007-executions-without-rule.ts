import type { Migration } from "./migration.ts";

const ruleIndexes = [["rule_name", "start_timestamp", "parent_id"]];

/** Rebuilds the index on `rule_name`, so that it also covers executions without a rule. The index keeps its name. */
export const executionsWithoutRule: Migration = {
	name: "0007-executions-without-rule",
	droppedIndexes: { executions: ruleIndexes },
	indexes: { executions: { indexes: ruleIndexes } },
};
