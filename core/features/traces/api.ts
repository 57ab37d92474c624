import type { Traces } from "./traces-api.ts";

/** What the engine has of this feature. */
export interface TracesApi {
	readonly traces: Traces;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends TracesApi {}
}
