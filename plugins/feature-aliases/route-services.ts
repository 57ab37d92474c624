import type { FollowedDependencies } from "../../core/feature.ts";
import type { Aliases } from "./aliases-exports.ts";

/** Members of the engine that the routes need. */
export interface AliasRouteServices extends FollowedDependencies {
	readonly aliases: Aliases;
}
