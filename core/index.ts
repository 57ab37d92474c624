export * from "./contract/index.ts";
export type { FirstUser } from "./features/access/access-exports.ts";
export type { IssuedToken } from "./features/access/credentials-exports.ts";
export type { ActionFilter, ActionInput, Actions, RunnerTypes } from "./features/actions/actions-exports.ts";
export type { Run, RunAction, RunOptions } from "./features/executions/runs-exports.ts";
export type { Events, NamesOf, StreamEvent, StreamEventMap, StreamEventName } from "./features/executions/stream-events-exports.ts";
export type { RuleFilter, RuleInput, Rules, RuleTestInput, RuleTestOutcome, RuleView } from "./features/rules/rules-exports.ts";
export type { TraceFilter, Traces, TraceView } from "./features/traces/traces-exports.ts";
export type { TriggersApi } from "./features/triggers/triggers-exports.ts";
export type { Page } from "./kernel/basics/pagination.ts";
export type { Principal } from "./kernel/basics/principal.ts";
export type { Engine } from "./kernel/engine-api.ts";
export type { Dispatcher, IncomingEvent } from "./kernel/events/event-dispatcher-api.ts";
export type {
	ExecutionFilter,
	ExecutionListQuery,
	Executions,
	ExecutionView,
	OutputAccess,
	OutputChunk,
	RerunInput,
	SubmitInput,
} from "./kernel/executions/executions-api.ts";
export { type LoadConfigOptions, loadConfig } from "./service/load-config.ts";
export { createLogger, type ServiceLogger } from "./service/logger.ts";
export { type Addresses, type CreateOptions, createEngine, createService, type Service } from "./service/service.ts";
export type { ComponentOverrides } from "./service/service-components.ts";
export { version } from "./service/version.ts";
