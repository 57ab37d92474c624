import type { FollowedNeeds } from "../packs/followed-pack-guard-exports.ts";
import type { Actions } from "./actions-exports.ts";

export interface RouteEngine extends FollowedNeeds {
	readonly actions: Actions;
}
