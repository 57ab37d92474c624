import type { PackConfigs } from "./pack-configs-api.ts";

/** What the engine has of this feature. */
export interface PacksApi {
	readonly packConfigs: PackConfigs;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends PacksApi {}
}
