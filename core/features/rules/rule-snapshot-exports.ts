import { createHash } from "node:crypto";
import { type RuleEntity, type RuleSnapshotEntity, stringifyJson } from "../../contract/index.ts";
import type { ResolvedTrigger } from "../../kernel/events/trigger-catalog.ts";

/** Returns the snapshot of a rule to which its executions refer. Its id is a hash of its content. */
export function toRuleSnapshot(rule: RuleEntity, found: ResolvedTrigger | undefined): RuleSnapshotEntity {
	const content = { rule, trigger: found?.trigger ?? null, trigger_type: found?.type ?? null };
	return { id: createHash("sha256").update(stringifyJson(content)).digest("hex").slice(0, 24), ...content };
}
