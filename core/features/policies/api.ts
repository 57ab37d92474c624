import type { Policies } from "./policies-exports.ts";

/** Members that this feature adds to the engine. */
export interface PoliciesApi {
	readonly policies: Policies;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends PoliciesApi {}
}
