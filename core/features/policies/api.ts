import type { Policies } from "./policies-api.ts";

/** What the engine has of this feature. */
export interface PoliciesApi {
	readonly policies: Policies;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends PoliciesApi {}
}
