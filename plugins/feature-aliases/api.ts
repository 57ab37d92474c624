import type { Aliases } from "./aliases-exports.ts";

/** Members that this feature adds to the engine. */
export interface AliasesApi {
	readonly aliases: Aliases;
}

declare module "../../core/feature.ts" {
	interface Engine extends AliasesApi {}
}
