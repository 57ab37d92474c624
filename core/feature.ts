// Exports for custom features (`svc-automation/feature`). This interface is not stable: any version may change it.

import { createRouteDeclarations } from "./http/route.ts";
import type { Engine } from "./kernel/engine-api.ts";

// Definition of a feature.

export {
	defineFeature,
	type FeatureDefinition,
	type FeatureName,
	type FeaturePlugin,
	type NamedFeatures,
} from "./features/feature-plugin.ts";
export type { CoreFeatures } from "./features/index.ts";
export type { AuditedRequest, AuditHook } from "./http/audit-hook.ts";
export type { HttpFeature } from "./http/http-feature.ts";
export type { PageEntry } from "./http/page-entries.ts";
export * from "./kernel/engine-api.ts";
export type * from "./kernel/feature.ts";
export type { ApiOf, CreateFeatures, FeatureMap } from "./kernel/feature-list.ts";
export type { Kernel, Plugins } from "./kernel/kernel.ts";
export { type InterceptedRun, kindOfOperation } from "./kernel/plugins/engine-storage.ts";

// Records, times, names and permissions.

export { escapeControlCharacters, hasControlCharacters } from "./contract/control-characters.ts";
export type { EntityKindDefinition, EntityMap, FieldType } from "./contract/entities/index.ts";
export { type EngineClock, fromTimestamp, getSystemClock, toTimestamp } from "./kernel/basics/clock.ts";
export { toConfigError } from "./kernel/basics/config-error.ts";
export type { Uses } from "./kernel/basics/engine-parts.ts";
export { createId, isId, toStableId } from "./kernel/basics/ids.ts";
export { insertIfAbsent } from "./kernel/basics/insert-if-absent.ts";
export { assertNotSystemPack, assertRefNames, labelPattern, maxLabels, parseLabels } from "./kernel/basics/names.ts";
export { type Page, type Paging, readPage, toInCondition } from "./kernel/basics/pagination.ts";
export type {
	AssertPermitted,
	PermissionType,
	PermissionVerbs,
	RequiredPermission,
	ResourceType,
	ResourceTypeDefinition,
} from "./kernel/basics/permission-types.ts";
export { type Principal, toAuthorship, withScopes } from "./kernel/basics/principal.ts";
export { type Resource, splitRef, toActionResource } from "./kernel/basics/refs.ts";
export type { TaggableLogger } from "./kernel/plugins/engine-dependencies.ts";

// Requests and their answers.

export { type BodySchema, defineBody } from "./http/body.ts";
export { parseSelection, selectionQuery } from "./http/field-selection.ts";
export { parseFilterValues } from "./http/filter-values.ts";
export * from "./http/openapi/responses.ts";
export {
	arrayOf,
	booleanSchema,
	defineSchema,
	enumOf,
	fieldsOf,
	integerSchema,
	type JsonSchema,
	jsonObject,
	mapOf,
	nullable,
	numberSchema,
	objectSchema,
	partOf,
	recordId,
	stringSchema,
	timestamp,
} from "./http/openapi/schema-builders.ts";
export { pagingQuery, parsePaging } from "./http/paging.ts";
export { parseIds } from "./http/parse-ids.ts";
export type { QueryValues } from "./http/query.ts";
export { presentRecord, type RecordVisibility, secretsQuery, showsSecrets, toRecordVisibility } from "./http/record-visibility.ts";
export { noStoreHeaders, type Reply, replyContent, replyJson, replyNoContent } from "./http/replies.ts";
export { replyList, selectionRulesOf } from "./http/reply-list.ts";
export { replyRecords } from "./http/reply-records.ts";
export { createRouteDeclarations, type Route, type RouteContext } from "./http/route.ts";
export type { GuardedResource, RoutePermission } from "./http/route-permission.ts";
export { parseSort } from "./http/sort.ts";
export { replyPageOrAll } from "./http/streamed-list.ts";
export { parseTimeRange } from "./http/time-range.ts";
export type { WireRecord } from "./http/wire-record.ts";

// Work that only one node may do at a time.

export { createTakeoverGrace, type TakeoverGracePeriod } from "./kernel/coordination/expired-leases.ts";
export { HeldLease, RecordLeaseRenewer } from "./kernel/coordination/held-lease.ts";
export { releasedLease, toExpiredBefore, toExpiry, toRenewalIntervalMs } from "./kernel/coordination/lease-policy.ts";
export { createReconnectingSubscription } from "./kernel/coordination/reconnecting-subscription.ts";
export { SingletonTask, type SingletonTaskDependencies } from "./kernel/coordination/singleton-task.ts";

// Events, executions and runs.

export { defineTriggerType, ofObject } from "./kernel/events/trigger-type-registry.ts";
export { type ActionCatalog, toActionSignature } from "./kernel/executions/action-catalog.ts";
export type { Executions, ExecutionView, SubmitInput } from "./kernel/executions/executions-api.ts";
export { isCompleted } from "./kernel/executions/status.ts";
export { OutputCapture } from "./kernel/output/output-channels.ts";
export { type KernelRunContext, toKernelContext } from "./kernel/runs/run-services.ts";

// Features that every service has.

export type { Access } from "./features/access/access-exports.ts";
export { assertRequired } from "./features/access/required-permissions-exports.ts";
export { createProxies, type TrustedProxies } from "./features/access/trusted-proxies-exports.ts";
export { toExecution } from "./features/executions/records-exports.ts";
export { executionSchema, statusSchema } from "./features/executions/schemas-exports.ts";
export type { FindRequiredLabels, RequiredWorkerLabels, WorkerDemands } from "./features/policies/required-worker-labels-exports.ts";
export { forwardedMembers, forwardRunAtOnce } from "./features/policies/runner-wrappers-exports.ts";
export { ruleTestCaseAttributes } from "./features/rules/rule-test-case-exports.ts";
export type { RuleInput, Rules, RuleTestOutcome } from "./features/rules/rules-exports.ts";
export { toSourceTitle } from "./features/triggers/trigger-titles-exports.ts";

// Packs.

export type { PacksApi } from "./features/packs/api.ts";
export { defineBuiltInPack, type ParsedPack } from "./features/packs/built-in-pack-exports.ts";
export { resolveEntryPoint } from "./features/packs/entry-point-exports.ts";
export { containsFiles, extractFiles, removeExtracted, toContentId } from "./features/packs/extract-content-exports.ts";
export type { FileReader, PackSource, ReadingPlace, ReadRunnerType } from "./features/packs/file-reader-exports.ts";
export { assertNotFollowed, type FollowedDependencies, isSwitchOnly } from "./features/packs/followed-pack-guard-exports.ts";
export { toSourceText } from "./features/packs/followed-source-exports.ts";
export {
	findingOf,
	findPackDirectories,
	inspectConfig,
	inspectFolders,
	inspectManifest,
	locateRefused,
	sortFindings,
} from "./features/packs/inspect-pack-exports.ts";
export * from "./features/packs/installation-exports.ts";
export { isDefinedKind, type NamedAction } from "./features/packs/named-actions-exports.ts";
export type { PackConfigs } from "./features/packs/pack-configs-exports.ts";
export { checkPack, ownAttributes, type Place, type RegisterFiles, withoutNull } from "./features/packs/pack-files-exports.ts";
export { type PackTest, type RunTestsOptions, runTests, testsOf } from "./features/packs/pack-tests-exports.ts";
export { findCaseFiles, type ReadCase, readCases } from "./features/packs/read-cases-exports.ts";
export type { PackRegister } from "./features/packs/register-exports.ts";

// Expressions, schemas and files.

export { type BoundedRegExp, createBoundedRegExp } from "./language/bounded-regexp.ts";
export { Dialects } from "./language/dialects.ts";
export { waitForLoopBudget } from "./language/event-loop-budget.ts";
export { createExpressions } from "./language/expressions/expressions.ts";
export * as fileAttributes from "./language/file-attributes.ts";
export { type CaseAttributes, type FileSchema, toCasesSchema, toFileSchema, toObjectSchema } from "./language/file-schema.ts";
export { inquiryRunnerType } from "./language/inquiry-schema.ts";
export { parameterNamePattern } from "./language/parameters/check-definitions.ts";
export { assertDepth } from "./language/parameters/depth.ts";
export { mergeSchemas } from "./language/parameters/merge-schemas.ts";
export { createMaskBudget, maskBySchema, maskParameters } from "./language/parameters/schema-masking.ts";
export { toValueTemplate } from "./language/parameters/value-template.ts";
export { findRuleProblems, type RuleProblem } from "./language/rule-problems.ts";
export { emptyDatastoreAccess, renderWithLookups } from "./language/templates/datastore.ts";
export { toScope } from "./language/templates/scope.ts";
export { compareVersions, isInRange, isVersionRange } from "./language/version-range.ts";
export { WorkBudget, withWorkBudget } from "./language/work-budget.ts";
export { assertYamlDepth } from "./language/yaml-document.ts";
export type { KeyRing } from "./secrets/encryption/key-ring.ts";
export { restoreMaskedValues } from "./secrets/restore-masked.ts";

// Waiting and the network.

export { findProxy } from "./lib/find-proxy.ts";
export { retryWhileUnavailable } from "./lib/retry-while-unavailable.ts";
export { settledWithin, wait } from "./lib/wait.ts";

// Configuration, log and dry runs of a service.

export type { FeatureOptionSections, OptionDefinition, OptionDefinitions } from "./contract/options.ts";
export type { OptionsInput } from "./contract/options-input.ts";
export { dryRunEngine } from "./kernel/dry-run.ts";
export { DryRunStorage } from "./kernel/dry-run-storage.ts";
export { createPlugins } from "./kernel/plugins/create-plugins.ts";
export { findListProblems } from "./service/config/check-plugins.ts";
export { prepareDataDirectory } from "./service/config/data-directory.ts";
export { type ResolvedConfig, resolveConfig } from "./service/config/resolve-config.ts";
export { resolveOptions } from "./service/config/resolve-options.ts";
export { toDependencies } from "./service/engine-dependencies.ts";
export { loadConfig } from "./service/load-config.ts";
export { createLogger, type ServiceLogger } from "./service/logger.ts";
export { version } from "./service/version.ts";
export { findConfig } from "./service/workflow-tools.ts";

/** Declares a route of the API. Its handler receives the engine with the members that the feature has added. */
export const { defineRoute } = createRouteDeclarations<Engine>();
