export * from "./contract/index.ts";
export type { FirstUser } from "./features/access/access-api.ts";
export type { IssuedToken } from "./features/access/credentials-api.ts";
export type { ActionFilter, ActionInput, Actions, RunnerTypes } from "./features/actions/actions-api.ts";
export type { EventMap, EventName, Events, NamesOf, StreamEvent } from "./features/executions/events-api.ts";
export type { Run, RunAction, RunOptions } from "./features/executions/runs-api.ts";
export type { RuleFilter, RuleInput, Rules, RuleTestInput, RuleTestOutcome, RuleView } from "./features/rules/rules-api.ts";
export type { TraceFilter, Traces, TraceView } from "./features/traces/traces-api.ts";
export type { TriggersApi } from "./features/triggers/triggers-api.ts";
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
