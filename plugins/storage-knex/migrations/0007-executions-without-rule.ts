import type { Migration } from "./migration.ts";

const ofRules = [["rule_name", "start_timestamp", "parent_id"]];

/** The index of rules gets a place for executions without one; it keeps its name. */
export const executionsWithoutRule: Migration = {
	name: "0007-executions-without-rule",
	dropped: { executions: ofRules },
	indexes: { executions: { indexes: ofRules } },
};
