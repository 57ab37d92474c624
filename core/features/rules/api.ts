import type { Enforcements, Rules } from "./rules-api.ts";

/** What the engine has of this feature. */
export interface RulesFeatureApi {
	readonly rules: Rules;
	readonly enforcements: Enforcements;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends RulesFeatureApi {}
}
