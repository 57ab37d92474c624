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
export { statusSchema } from "./features/executions/schemas-exports.ts";
export { containsFiles, extractFiles, removeExtracted, toContentId } from "./features/packs/extract-content-exports.ts";
export type { FindRequiredLabels, RequiredWorkerLabels, WorkerDemands } from "./features/policies/required-worker-labels-exports.ts";
export { keepMembers, keepRunAtOnce } from "./features/policies/wrap-runner-exports.ts";
export { booleanSchema, jsonObject, mapOf, numberSchema, oneOf, recordId } from "./http/openapi/schema.ts";
export { noStoreHeaders } from "./http/replies.ts";
export { fromTimestamp, getSystemClock } from "./kernel/basics/clock.ts";
export { toConfigError } from "./kernel/basics/config-error.ts";
export { isId, toStableId } from "./kernel/basics/ids.ts";
export { labelPattern, maxLabels, parseLabels } from "./kernel/basics/names.ts";
export { type TakeoverGracePeriod, createTakeoverGrace } from "./kernel/coordination/expired-leases.ts";
export { toExpiredBefore, toExpiry } from "./kernel/coordination/lease-policy.ts";
export { createRenewedSubscription } from "./kernel/coordination/reconnecting-subscription.ts";
export { OutputCapture } from "./kernel/output/output-channels.ts";
export { type KernelRunContext, toKernelContext } from "./kernel/runs/run-services.ts";
export { Dialects } from "./language/dialects.ts";
export { inquiryRunnerType } from "./language/inquiry-schema.ts";
export { findProxy } from "./lib/find-proxy.ts";
export { retryWhileUnavailable } from "./lib/retry-while-unavailable.ts";
export { settledWithin, wait } from "./lib/wait.ts";
export type { KeyRing } from "./secrets/encryption/key-ring.ts";
export { findListProblems } from "./service/config/check-plugins.ts";
export { prepareDataDirectory } from "./service/config/data-directory.ts";
export { resolveOptions } from "./service/config/resolve-options.ts";
export { loadConfig } from "./service/load-config.ts";
export { type ServiceLogger, createLogger } from "./service/logger.ts";
export { version } from "./service/version.ts";
export { findConfig } from "./service/workflow-tools.ts";

/** Declares a route of the API. Its handler receives the engine with the members that the feature has added. */
export const { defineRoute } = createRouteDeclarations<Engine>();
