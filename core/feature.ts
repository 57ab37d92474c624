// Exports for custom features (`svc-automation/feature`). This interface is not stable: any version may change it.

import { createRouteDeclarations } from "./http/route.ts";
import type { Engine } from "./kernel/engine-api.ts";

export { defineKind } from "./contract/entities/define-kind.ts";
export type { EntityKindDefinition, EntityMap, FieldType } from "./contract/entities/index.ts";
export { createProxies, type TrustedProxies } from "./features/access/trusted-proxies-exports.ts";
export {
	defineFeature,
	type FeatureDefinition,
	type FeatureName,
	type FeaturePlugin,
	type NamedFeatures,
} from "./features/feature-plugin.ts";
export type { CoreFeatures } from "./features/index.ts";
export type { AuditedRequest, AuditHook } from "./http/audit-hook.ts";
export { type BodySchema, defineBody } from "./http/body.ts";
export { parseFilterValues } from "./http/filter-values.ts";
export type { HttpFeature } from "./http/http-feature.ts";
export * from "./http/openapi/responses.ts";
export {
	arrayOf,
	defineSchema,
	fieldsOf,
	integerSchema,
	type JsonSchema,
	nullable,
	objectSchema,
	stringSchema,
	timestamp,
} from "./http/openapi/schema.ts";
export { pagingQuery, parsePaging } from "./http/paging.ts";
export type { QueryValues } from "./http/query.ts";
export { type Reply, replyContent, replyJson, replyNoContent } from "./http/replies.ts";
export { replyRecords } from "./http/reply-records.ts";
export type { Route, RouteContext } from "./http/route.ts";
export { createRouteDeclarations } from "./http/route.ts";
export type { GuardedResource, Permission } from "./http/route-permission.ts";
export { replyPageOrAll } from "./http/streamed-list.ts";
export { parseTimeRange } from "./http/time-range.ts";
export { type EngineClock, toTimestamp } from "./kernel/basics/clock.ts";
export type { Uses } from "./kernel/basics/engine-parts.ts";
export { createId } from "./kernel/basics/ids.ts";
export { type Page, type Paging, readPage, toInCondition } from "./kernel/basics/pagination.ts";
export * from "./kernel/basics/permission-types.ts";
export type { Principal } from "./kernel/basics/principal.ts";
export { SingletonTask } from "./kernel/coordination/singleton-task.ts";
export * from "./kernel/engine-api.ts";
export { defineTriggerType, ofObject } from "./kernel/events/trigger-type-registry.ts";
export type * from "./kernel/feature.ts";
export type { ApiOf, CreateFeatures, FeatureList } from "./kernel/feature-list.ts";
export type { Kernel, Plugins } from "./kernel/kernel.ts";
export { type InterceptedRun, kindOfOperation } from "./kernel/plugins/engine-storage.ts";

/** Declares a route of the API. Its handler receives the engine with the members that the feature has added. */
export const { defineRoute } = createRouteDeclarations<Engine>();
