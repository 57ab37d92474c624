import type { Retention } from "./retention-exports.ts";

/** Services that this feature adds to the engine. */
export interface RetentionApi {
	readonly retention: Retention;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends RetentionApi {}
}
