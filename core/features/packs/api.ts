import type { PackInstalls } from "./install-api.ts";
import type { PackConfigs } from "./pack-configs-api.ts";
import type { PackIndexes } from "./pack-index-api.ts";
import type { Packs } from "./pack-views-api.ts";
import type { PackRegister } from "./register-api.ts";

/** Engine members that this feature provides. */
export interface PacksApi {
	readonly packConfigs: PackConfigs;
	readonly packs: Packs;
	readonly packIndex: PackIndexes;
	readonly packRegister: PackRegister;
	readonly packInstalls: PackInstalls;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends PacksApi {}
}
