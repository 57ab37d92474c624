import type { Retention } from "./retention-api.ts";

/** What the engine has of this feature. */
export interface RetentionApi {
	readonly retention: Retention;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends RetentionApi {}
}
