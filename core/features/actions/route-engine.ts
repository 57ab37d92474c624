import type { FollowedNeeds } from "../packs/followed-pack-guard-exports.ts";
import type { Actions } from "./actions-exports.ts";

/** Services of the engine that the routes use. */
export interface RouteEngine extends FollowedNeeds {
	readonly actions: Actions;
}
