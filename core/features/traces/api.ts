import type { Traces } from "./traces-exports.ts";

/** Engine members that this feature provides. */
export interface TracesApi {
	readonly traces: Traces;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends TracesApi {}
}
