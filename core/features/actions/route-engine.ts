import type { FollowedNeeds } from "../packs/followed-pack-guard-api.ts";
import type { Actions } from "./actions-api.ts";

/** Services of the engine that the routes use. */
export interface RouteEngine extends FollowedNeeds {
	readonly actions: Actions;
}
