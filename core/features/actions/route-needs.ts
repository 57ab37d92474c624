import type { FollowedNeeds } from "../packs/followed-content-api.ts";
import type { Actions } from "./catalog-api.ts";

/** What the routes ask of the engine. */
export interface RouteNeeds extends FollowedNeeds {
	readonly actions: Actions;
}
