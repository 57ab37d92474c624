import type { Actions } from "../actions/actions-api.ts";
import type { FollowedNeeds } from "../packs/followed-pack-guard-api.ts";
import type { TriggersApi } from "../triggers/triggers-api.ts";
import type { Enforcements, Rules } from "./rules-api.ts";

/** Members of the engine that the routes use. */
export interface RouteEngine extends FollowedNeeds {
	readonly rules: Rules;
	readonly actions: Actions;
	readonly enforcements: Enforcements;
	readonly triggers: TriggersApi;
}
