import type { Workers } from "./workers-api.ts";

/** What the engine has of this feature. */
export interface WorkersApi {
	readonly workers: Workers;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends WorkersApi {}
}
