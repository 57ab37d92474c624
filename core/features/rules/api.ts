import type { Enforcements, Rules } from "./rules-exports.ts";

/** Members that this feature adds to the engine. */
export interface RulesFeatureApi {
	readonly rules: Rules;
	readonly enforcements: Enforcements;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends RulesFeatureApi {}
}
