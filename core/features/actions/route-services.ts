import type { FollowedDependencies } from "../packs/followed-pack-guard-exports.ts";
import type { Actions } from "./actions-exports.ts";

export interface ActionRouteServices extends FollowedDependencies {
	readonly actions: Actions;
}
