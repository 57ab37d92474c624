import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "../access/access-exports.ts";
import type { DatastoreApi } from "./api.ts";
import { StoredItems } from "./datastore-items.ts";
import { itemTriggerTypes } from "./item-trigger-types.ts";
import { keyRoutes } from "./routes.ts";

/** Creates the datastore feature: named values that templates can read. Secret values are encrypted. */
export function createDatastoreFeature(kernel: Kernel, needs: { readonly access: Access }): HttpFeature<DatastoreApi> {
	const logger = kernel.logger.withTag("datastore");
	const datastore = new StoredItems({ ...kernel, ...needs, logger, draft: (event) => kernel.dispatcher.draft(event) });
	return {
		api: { datastore },
		triggerTypes: itemTriggerTypes,
		datastore,
		start: () => datastore.start(),
		stop: () => datastore.stop(),
		routes: keyRoutes,
	};
}
