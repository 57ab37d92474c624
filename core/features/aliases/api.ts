import type { Aliases } from "./aliases-api.ts";

/** What the engine has of this feature. */
export interface AliasesApi {
	readonly aliases: Aliases;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends AliasesApi {}
}
