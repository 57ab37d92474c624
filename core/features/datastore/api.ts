import type { DatastoreItems } from "./items-api.ts";

/** What the engine has of this feature. */
export interface DatastoreApi {
	readonly datastore: DatastoreItems;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends DatastoreApi {}
}
