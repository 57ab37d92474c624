import { type ActionEntity, actionKind } from "./action.ts";
import { type ActionSnapshotEntity, snapshotKind } from "./action-snapshot.ts";
import { type ApiKeyEntity, apiKeyKind } from "./api-key.ts";
import { type DutyEntity, dutyKind } from "./duty.ts";
import { type ExecutionEntity, executionKind } from "./execution.ts";
import { type JournalEntryEntity, journalEntryKind } from "./journal-entry.ts";
import { type KeyValueEntity, keyValueKind } from "./key-value.ts";
import type { EntityKindDefinition } from "./kind.ts";
import { type NodeEntity, nodeKind } from "./node.ts";
import { type OutputChunkEntity, outputChunkKind } from "./output-chunk.ts";
import { type PackEntity, packKind } from "./pack.ts";
import { type PackContentEntity, packContentKind } from "./pack-content.ts";
import { type PackContentChunkEntity, packContentChunkKind } from "./pack-content-chunk.ts";
import { type PolicyEntity, policyKind } from "./policy.ts";
import { type RoleAssignmentEntity, roleAssignmentKind } from "./role-assignment.ts";
import { type RuleEntity, ruleKind } from "./rule.ts";
import { type RuleEnforcementEntity, ruleEnforcementKind } from "./rule-enforcement.ts";
import { type RuleRefHistoryEntity, ruleRefKind } from "./rule-ref.ts";
import { type RuleSnapshotEntity, ruleSnapshotKind } from "./rule-snapshot.ts";
import { type RunnerTypeEntity, runnerTypeKind } from "./runner-type.ts";
import { type SensorEntity, sensorKind } from "./sensor.ts";
import {
	type KnownAddressEntity,
	knownAddressKind,
	type SignInFailureCountEntity,
	signInFailureKind,
	type UsedSignInEntity,
	usedSignInKind,
} from "./sign-in-records.ts";
import { type TimerEntity, timerKind } from "./timer.ts";
import { type TokenEntity, tokenKind } from "./token.ts";
import { type TraceEntity, traceKind } from "./trace.ts";
import { type TriggerEntity, triggerKind } from "./trigger.ts";
import { type TriggerInstanceEntity, triggerInstanceKind } from "./trigger-instance.ts";
import { type TriggerTypeEntity, triggerTypeKind } from "./trigger-type.ts";
import { type UserEntity, userKind } from "./user.ts";
import { type WebhookDeliveryEntity, webhookDeliveryKind } from "./webhook-delivery.ts";

export type { ActionEntity } from "./action.ts";
export type { ActionSnapshotEntity } from "./action-snapshot.ts";
export type { ApiKeyEntity } from "./api-key.ts";
export type { DutyEntity } from "./duty.ts";
export type { ExecutionActor, ExecutionEntity, ExecutionLogEntry, ExecutionStatus } from "./execution.ts";
export type { JournalEntryEntity } from "./journal-entry.ts";
export type { KeyValueEntity } from "./key-value.ts";
export type { EntityKindDefinition, FieldType } from "./kind.ts";
export { type NodeEntity, type NodeRole, type NodeState, nodeRoles } from "./node.ts";
export type { OutputChunkEntity } from "./output-chunk.ts";
export type { PackEntity } from "./pack.ts";
export type { PackContentEntity, PackContentFile } from "./pack-content.ts";
export type { PackContentChunkEntity } from "./pack-content-chunk.ts";
export type { PolicyEntity } from "./policy.ts";
export type { RoleAssignmentEntity } from "./role-assignment.ts";
export type { RuleEntity } from "./rule.ts";
export type { RuleEnforcementEntity } from "./rule-enforcement.ts";
export type { RuleRefHistoryEntity } from "./rule-ref.ts";
export type { RuleSnapshotEntity } from "./rule-snapshot.ts";
export type { RunnerTypeEntity } from "./runner-type.ts";
export type { SensorEntity, SensorStateName } from "./sensor.ts";
export type { KnownAddressEntity, SignInFailureCountEntity, UsedSignInEntity } from "./sign-in-records.ts";
export type { TimerEntity } from "./timer.ts";
export type { TokenEntity } from "./token.ts";
export type { TraceEntity } from "./trace.ts";
export type { TriggerEntity } from "./trigger.ts";
export type { TriggerInstanceEntity, TriggerInstanceStatus } from "./trigger-instance.ts";
export type { TriggerTypeEntity } from "./trigger-type.ts";
export type { UserEntity } from "./user.ts";
export type { WebhookDeliveryEntity } from "./webhook-delivery.ts";

/**
 * The built-in kinds of entities.
 *
 * To add a kind, add a file with its interface and its definition here, and its lines to this file: storages read the kinds from
 * `entityKinds`.
 *
 * Every field is always present, and null if it has no value. `id` consists of 24 hex characters and is time-ordered, except where noted.
 * Times are ISO 8601 UTC with microseconds and a trailing Z, so that they sort as strings.
 */
export interface BuiltInEntityMap {
	execution: ExecutionEntity;
	snapshot: ActionSnapshotEntity;
	output_chunk: OutputChunkEntity;
	journal_entry: JournalEntryEntity;
	trace: TraceEntity;
	pack: PackEntity;
	pack_content: PackContentEntity;
	pack_content_chunk: PackContentChunkEntity;
	action: ActionEntity;
	runner_type: RunnerTypeEntity;
	token: TokenEntity;
	user: UserEntity;
	api_key: ApiKeyEntity;
	role_assignment: RoleAssignmentEntity;
	sign_in_failure: SignInFailureCountEntity;
	sign_in_place: KnownAddressEntity;
	used_sign_in: UsedSignInEntity;
	trigger_type: TriggerTypeEntity;
	trigger: TriggerEntity;
	trigger_instance: TriggerInstanceEntity;
	rule: RuleEntity;
	rule_enforcement: RuleEnforcementEntity;
	rule_ref: RuleRefHistoryEntity;
	rule_snapshot: RuleSnapshotEntity;
	webhook_delivery: WebhookDeliveryEntity;
	timer: TimerEntity;
	key_value: KeyValueEntity;
	sensor: SensorEntity;
	policy: PolicyEntity;
	node: NodeEntity;
	duty: DutyEntity;
}

/**
 * All kinds of entities: the built-in ones, and those that features declare here and list in `kinds`
 * (`svc-automation/feature`).
 */
export interface EntityMap extends BuiltInEntityMap {}

/** Name of a kind of entities. */
export type EntityKind = keyof EntityMap;

const builtInKinds: { readonly [K in keyof BuiltInEntityMap]: EntityKindDefinition<BuiltInEntityMap[K]> } = {
	execution: executionKind,
	snapshot: snapshotKind,
	output_chunk: outputChunkKind,
	journal_entry: journalEntryKind,
	trace: traceKind,
	pack: packKind,
	pack_content: packContentKind,
	pack_content_chunk: packContentChunkKind,
	action: actionKind,
	runner_type: runnerTypeKind,
	token: tokenKind,
	user: userKind,
	api_key: apiKeyKind,
	role_assignment: roleAssignmentKind,
	sign_in_failure: signInFailureKind,
	sign_in_place: knownAddressKind,
	used_sign_in: usedSignInKind,
	trigger_type: triggerTypeKind,
	trigger: triggerKind,
	trigger_instance: triggerInstanceKind,
	rule: ruleKind,
	rule_enforcement: ruleEnforcementKind,
	rule_ref: ruleRefKind,
	rule_snapshot: ruleSnapshotKind,
	webhook_delivery: webhookDeliveryKind,
	timer: timerKind,
	key_value: keyValueKind,
	sensor: sensorKind,
	policy: policyKind,
	node: nodeKind,
	duty: dutyKind,
};

/** Definitions of all kinds, as data for storage plugins. A storage reads them when it starts. */
export const entityKinds = { ...builtInKinds } as { readonly [K in EntityKind]: EntityKindDefinition<EntityMap[K]> };
