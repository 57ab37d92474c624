// Exports for custom features (`svc-automation/feature`). This interface is not stable: any version may change it.

import { createRouteDeclarations } from "./http/route.ts";
import type { Engine } from "./kernel/engine-api.ts";

export { defineKind } from "./contract/entities/define-kind.ts";
export type { EntityKindDefinition, EntityMap, FieldType } from "./contract/entities/index.ts";
export { createFeatures, type Features } from "./features/index.ts";
export { type BodySchema, defineBody } from "./http/body.ts";
export type { HttpFeature } from "./http/http-feature.ts";
export * from "./http/openapi/responses.ts";
export { defineSchema, fieldsOf, type JsonSchema } from "./http/openapi/schema.ts";
export { type Reply, replyJson, replyNoContent } from "./http/replies.ts";
export type { Route, RouteContext } from "./http/route.ts";
export type { GuardedResource, Permission } from "./http/route-permission.ts";
export { type EngineClock, toTimestamp } from "./kernel/basics/clock.ts";
export { createId } from "./kernel/basics/ids.ts";
export * from "./kernel/basics/permission-types.ts";
export type { Principal } from "./kernel/basics/principal.ts";
export * from "./kernel/engine-api.ts";
export { defineTriggerType, ofObject } from "./kernel/events/trigger-type-registry.ts";
export type * from "./kernel/feature.ts";
export type { ApiOf, CreateFeatures, FeatureList } from "./kernel/feature-list.ts";
export type { Kernel, Plugins } from "./kernel/kernel.ts";

/** Declares a route of the API. Its handler receives the engine with the members that the feature has added. */
export const { defineRoute } = createRouteDeclarations<Engine>();
