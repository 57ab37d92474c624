import type { Workers } from "./workers-exports.ts";

/** Members that this feature adds to the engine. */
export interface WorkersApi {
	readonly workers: Workers;
}

declare module "../../core/feature.ts" {
	interface Engine extends WorkersApi {}
}
