import type { Addresses } from "../client/addresses.ts";
import type { ApiClient } from "../client/api-client.ts";
import { type AccessClient, createAccessClient } from "./access/client.ts";
import { type ActionClient, createActionClient } from "./actions/client.ts";
import { createKeyClient, type KeyClient } from "./datastore/client.ts";
import { createExecutionClient, type ExecutionClient } from "./executions/client.ts";
import { createInquiryClient, type InquiryClient } from "./inquiries/client.ts";
import { createNodeClient, type NodeClient } from "./nodes/client.ts";
import { type ConfigClient, createConfigClient } from "./packs/client.ts";
import { createPackClient, createPackRegisterClient, type PackClient, type PackRegisterClient } from "./packs/pack-client.ts";
import { createPolicyClient, type PolicyClient } from "./policies/client.ts";
import { createPurgeClient, type PurgeClient } from "./retention/client.ts";
import { createRuleClient, type RuleClient } from "./rules/client.ts";
import { createSensorClient, type SensorClient } from "./sensors/client.ts";
import { createTimerClient, type TimerClient } from "./timers/client.ts";
import { createTraceClient, type TraceClient } from "./traces/client.ts";
import { createTriggerClient, type TriggerPart } from "./triggers/client.ts";
import { createWebhookClient, type WebhookClient } from "./webhooks/client.ts";
import { createWorkflowClient, type WorkflowClient } from "./workflows/client.ts";

export { type Addresses, defaultApiUrl, resolveAddresses } from "../client/addresses.ts";
export { type ApiClient, type CallOptions, type ClientOptions, createApi } from "../client/api-client.ts";
export { delay } from "../client/delay.ts";
export type { ListPage, ListQuery } from "../client/page.ts";
export type { TokenRecord } from "../client/password-sign-in.ts";
export { createRecordClient, type RecordClient } from "../client/record-client.ts";
export { escapeControlCharacters, escapeControlCharactersInLines } from "../contract/control-characters.ts";
export type { DefinitionFinding, DefinitionGraph, TaskState } from "../contract/index.ts";
export type {
	ApiKeyInput,
	ApiKeyRecord,
	NewApiKeyRecord,
	PageEntryRecord,
	RoleAssignmentRecord,
	RoleRecord,
	UserRecord,
} from "./access/client.ts";
export type { ActionRecord, RunnerTypeRecord } from "./actions/client.ts";
export type { KeyClient, KeyInput, KeyRecord, RotationRecord } from "./datastore/client.ts";
export type {
	ExecutionInput,
	ExecutionRecord,
	LiveActionRecord,
	OutputLineRecord,
	OutputLinesOptions,
	OutputLinesRecord,
	RerunRequest,
	RunGraphRecord,
	StreamEventRecord,
} from "./executions/client.ts";
export { createExecutionClient, type ExecutionClient } from "./executions/client.ts";
export type { FollowOptions, OutputChunkRecord } from "./executions/output-client.ts";
export type { InquiryClient, InquiryRecord } from "./inquiries/client.ts";
export type * from "./nodes/client.ts";
export type { ConfigClient, ConfigRecord, ConfigSchemaRecord } from "./packs/client.ts";
export type {
	PackClient,
	PackFileRecord,
	PackRecord,
	PackRegisterClient,
	RegisterRecord,
	RegisterRequest,
} from "./packs/pack-client.ts";
export type { PolicyClient, PolicyRecord, PolicyRequest, PolicyTypeRecord } from "./policies/client.ts";
export type { PurgeClient, PurgeRecord, PurgeRequest } from "./retention/client.ts";
export type * from "./rules/client.ts";
export type { SensorClient, SensorRecord } from "./sensors/client.ts";
export type { TimerClient, TimerRecord } from "./timers/client.ts";
export type { TraceComponentRecord, TraceRecord } from "./traces/client.ts";
export { type TraceChoice, type TraceKind, type TraceNode, toBranches, toNodes } from "./traces/trace-tree-client.ts";
export type {
	TriggerInstanceRecord,
	TriggerRecord,
	TriggerRequest,
	TriggerTypeRecord,
	TriggerTypeRequest,
} from "./triggers/client.ts";
export type { WebhookClient, WebhookDeliveryRecord, WebhookRecord } from "./webhooks/client.ts";
export type { WorkflowClient } from "./workflows/client.ts";

/** The trigger types, events and traces of a service. */
export interface TriggerClient extends TriggerPart {
	readonly traces: TraceClient;
}

/** The part of the typed client for the features that every service has. */
export interface CoreClient extends AccessClient, ActionClient, ExecutionClient, PurgeClient {
	readonly addresses: Addresses;
	readonly inquiries: InquiryClient;
	readonly webhooks: WebhookClient;
	readonly rules: RuleClient;
	readonly policies: PolicyClient;
	readonly triggers: TriggerClient;
	readonly timers: TimerClient;
	readonly sensors: SensorClient;
	readonly keys: KeyClient;
	readonly configs: ConfigClient;
	readonly packs: PackClient & PackRegisterClient;
	readonly nodes: NodeClient;
	readonly workflows: WorkflowClient;
}

/** Creates the part of the client for the features that every service has. */
export function createCoreClient(api: ApiClient): CoreClient {
	return {
		addresses: api.addresses,
		...createAccessClient(api),
		...createExecutionClient(api),
		...createActionClient(api),
		inquiries: createInquiryClient(api),
		webhooks: createWebhookClient(api),
		rules: createRuleClient(api),
		policies: createPolicyClient(api),
		triggers: { ...createTriggerClient(api), traces: createTraceClient(api) },
		timers: createTimerClient(api),
		sensors: createSensorClient(api),
		keys: createKeyClient(api),
		configs: createConfigClient(api),
		packs: { ...createPackClient(api), ...createPackRegisterClient(api) },
		...createPurgeClient(api),
		nodes: createNodeClient(api),
		workflows: createWorkflowClient(api),
	};
}
