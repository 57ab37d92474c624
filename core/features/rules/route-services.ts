import type { Engine } from "../../kernel/engine-api.ts";
import type { FollowedDependencies } from "../packs/followed-pack-guard-exports.ts";

/** Members of the engine that the routes use. */
export type RuleRouteServices = Pick<Engine, "rules" | "actions" | "enforcements" | "triggers"> & FollowedDependencies;
