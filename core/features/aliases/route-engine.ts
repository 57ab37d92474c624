import type { FollowedNeeds } from "../packs/followed-pack-guard-api.ts";
import type { Aliases } from "./aliases-api.ts";

/** Members of the engine that the routes need. */
export interface RouteEngine extends FollowedNeeds {
	readonly aliases: Aliases;
}
