import type { FollowedNeeds } from "../../core/feature.ts";
import type { Aliases } from "./aliases-exports.ts";

/** Members of the engine that the routes need. */
export interface RouteEngine extends FollowedNeeds {
	readonly aliases: Aliases;
}
