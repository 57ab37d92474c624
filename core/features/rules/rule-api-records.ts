import type { RuleEnforcementEntity } from "../../contract/index.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import { toRuleRecord } from "../executions/rule-record-exports.ts";
import type { RuleView } from "./rules-exports.ts";

/** @param problems mistakes that prevent the rule from working; the record has no such member if it is undefined */
export function toRule({ rule, trigger }: RuleView, problems?: readonly string[]) {
	return { ...toRuleRecord(rule, trigger), ...(problems !== undefined && { problems }) };
}

/** Returns the API record of an enforcement. Empty members are omitted. */
export function toEnforcement(enforcement: RuleEnforcementEntity): WireRecord {
	const { id, trigger_instance_id, execution_id, failure_reason, rule_id, rule_ref, enforced_at, status } = enforcement;
	const [pack, ...name] = rule_ref.split(".");
	return {
		id,
		trigger_instance_id,
		...(execution_id !== null && { execution_id }),
		...(failure_reason !== null && { failure_reason }),
		rule: { ref: rule_ref, id: rule_id, uid: `rule:${pack}:${name.join(".")}` },
		enforced_at,
		status,
	};
}
