import type { EventBus, Options } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { createProcessor, type Processor } from "../../kernel/events/processor.ts";
import type { TriggerCore } from "../../kernel/events/trigger-core.ts";
import type { SubmitParts } from "../../kernel/executions/submit.ts";
import type { ChangeFeed } from "../../kernel/work/change-feed.ts";
import type { Access } from "../access/access.ts";
import type { TriggerInstances } from "../triggers/triggers-api.ts";
import { createEnforcer } from "./enforce.ts";
import { createLoopGuard } from "./loop-guard.ts";
import { keepPermitted } from "./permitted-rules.ts";
import { createRuleSecrets } from "./rule-secrets.ts";
import { testRule } from "./rule-test.ts";
import { createRuleTriggers, type RuleTriggerParts } from "./rule-triggers.ts";
import { createRules } from "./rules.ts";
import type { Rules } from "./rules-api.ts";

export interface RulesCoreParts extends SubmitParts, Pick<RuleTriggerParts, "logger" | "checkParameters"> {
	readonly eventBus: EventBus;
	readonly options: Options;
	readonly nodeId: string;
	readonly changes: ChangeFeed;
	readonly triggers: TriggerCore;
	readonly maskPayloads: TriggerInstances["maskPayloads"];
	readonly access: Access;
}

/** Rules, and what looks at them. */
export interface RulesCore {
	readonly rules: Rules;
	readonly processor: Processor;
	/** Whom the executions of rules run for, and whose the rules of packs are. */
	readonly principal: Principal;
}

export function createRulesCore(parts: RulesCoreParts): RulesCore {
	const { options, triggers } = parts;
	// Whoever may make rules has been asked when the rule was made.
	const principal: Principal = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };
	const secrets = createRuleSecrets(parts);
	const ruleTriggers = createRuleTriggers({ ...parts, catalog: triggers.catalog });
	const rules = createRules({ ...parts, triggers: ruleTriggers, secrets });
	const enforcer = createEnforcer({ ...parts, guard: createLoopGuard(parts), principal });
	const { poll_interval: pollInterval, lease } = options.scheduler;
	const { datastore, systemUser } = parts.templateSources;
	const processor = createProcessor({
		...parts,
		rules: triggers.rules,
		enforcer,
		// As for the parameters: rules act for the system, and read what their authors may.
		datastoreOf: ({ user }) => datastore.accessFor(systemUser, user),
		keepPermitted: (indexed, instance) => keepPermitted(indexed, instance, { ...parts, systemUser }),
		poolSize: options.rules.pool_size,
		pollInterval,
		lease,
	});
	return {
		rules: { ...rules, test: (input, tester) => testRule(input, tester, { ...parts, rules, secrets }) },
		processor,
		principal,
	};
}
