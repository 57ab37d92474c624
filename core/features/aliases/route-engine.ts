import type { FollowedNeeds } from "../packs/followed-pack-guard-exports.ts";
import type { Aliases } from "./aliases-exports.ts";

/** Members of the engine that the routes need. */
export interface RouteEngine extends FollowedNeeds {
	readonly aliases: Aliases;
}
