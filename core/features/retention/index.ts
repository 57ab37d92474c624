import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { RetentionApi } from "./api.ts";
import type { RetentionHooks } from "./garbage-collector.ts";
import { createRetention } from "./retention.ts";
import { purgeRoutes } from "./routes.ts";

/** Creates the feature that removes old records. */
export function createRetentionFeature(kernel: Kernel, needs: RetentionHooks): HttpFeature<RetentionApi> {
	const aging = () => kernel.extensions.features.flatMap(({ expiringRecords }) => expiringRecords ?? []);
	const retention = createRetention({ ...kernel, ...needs, aging });
	return { api: { retention }, start: retention.start, stop: retention.stop, routes: purgeRoutes };
}
