import type { Actions } from "../actions/actions-exports.ts";
import type { FollowedNeeds } from "../packs/followed-pack-guard-exports.ts";
import type { TriggersApi } from "../triggers/triggers-exports.ts";
import type { Enforcements, Rules } from "./rules-exports.ts";

/** Members of the engine that the routes use. */
export interface RouteEngine extends FollowedNeeds {
	readonly rules: Rules;
	readonly actions: Actions;
	readonly enforcements: Enforcements;
	readonly triggers: TriggersApi;
}
