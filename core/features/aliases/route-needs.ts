import type { FollowedNeeds } from "../packs/followed-content-api.ts";
import type { Aliases } from "./aliases-api.ts";

/** What the routes ask of the engine. */
export interface RouteNeeds extends FollowedNeeds {
	readonly aliases: Aliases;
}
