import type { ServedFeature } from "../../http/served-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "../access/access-api.ts";
import type { PackDirectory } from "../packs/packs-api.ts";
import type { Policies } from "../policies/policies-api.ts";
import type { TriggersApi } from "../triggers/triggers-api.ts";
import type { RulesFeatureApi } from "./api.ts";
import { createEnforcements } from "./enforcements.ts";
import { registerReactions } from "./register-from-packs.ts";
import { ruleRoutes } from "./routes.ts";
import { ruleEnforcementRoutes } from "./rule-enforcements-routes.ts";
import { ruleViewRoutes } from "./rule-views-routes.ts";
import { createRulesCore } from "./rules-core.ts";

export interface RulesNeeds {
	readonly access: Access;
	readonly triggers: TriggersApi;
	readonly policies: Policies;
	/** Packs whose files may hold rules. */
	readonly directories: () => readonly PackDirectory[];
}

/** The reactor: which actions are run about an event. */
export function createRulesFeature(
	kernel: Kernel,
	{ access, triggers, policies, directories }: RulesNeeds,
): ServedFeature<RulesFeatureApi> {
	const core = createRulesCore({ ...kernel, access, maskPayloads: triggers.instances.maskPayloads });
	const { rules, principal, reactor } = core;
	return {
		api: { rules, enforcements: createEnforcements(kernel) },
		reactor,
		register: () => registerReactions({ ...kernel, types: triggers.types, rules, policies, principal }, directories()),
		routes: [...ruleViewRoutes, ...ruleRoutes, ...ruleEnforcementRoutes],
	};
}
