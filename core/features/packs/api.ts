import type { PackConfigs } from "./pack-configs-exports.ts";
import type { Packs } from "./pack-views-exports.ts";
import type { PackRegister } from "./register-exports.ts";

/** Engine members that this feature provides. */
export interface PacksApi {
	readonly packConfigs: PackConfigs;
	readonly packs: Packs;
	readonly packRegister: PackRegister;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends PacksApi {}
}
