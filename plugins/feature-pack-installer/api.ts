import type { PackIndexes } from "./pack-index.ts";
import type { PackInstalls } from "./pack-installs.ts";

/** Members that this feature adds to the engine. */
export interface PackInstallerApi {
	readonly packIndex: PackIndexes;
	readonly packInstalls: PackInstalls;
}

declare module "../../core/feature.ts" {
	interface Engine extends PackInstallerApi {}
}
