import type { Aliases } from "./aliases-exports.ts";

/** Members that this feature adds to the engine. */
export interface AliasesApi {
	readonly aliases: Aliases;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends AliasesApi {}
}
