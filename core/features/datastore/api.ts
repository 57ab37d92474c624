import type { DatastoreItems } from "./items-exports.ts";

/** Members that this feature adds to the engine. */
export interface DatastoreApi {
	readonly datastore: DatastoreItems;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends DatastoreApi {}
}
