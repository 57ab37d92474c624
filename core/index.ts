export * from "./contract/index.ts";
export type { RuleFilter, RuleInput, Rules, RuleTestInput, RuleTestOutcome, RuleView } from "./features/rules/rules-api.ts";
export type { TraceFilter, Traces, TraceView } from "./features/traces/traces-api.ts";
export type { TriggersApi } from "./features/triggers/triggers-api.ts";
export type {
	ActionFilter,
	ActionInput,
	Actions,
	Engine,
	EventMap,
	EventName,
	Events,
	ExecutionFilter,
	ExecutionListQuery,
	Executions,
	ExecutionView,
	FirstUser,
	IssuedToken,
	NamesOf,
	Output,
	OutputChunk,
	Page,
	Principal,
	RerunInput,
	Run,
	RunAction,
	RunnerTypes,
	RunOptions,
	StreamEvent,
	SubmitInput,
} from "./kernel/engine-api.ts";
export type { Dispatch, Dispatcher } from "./kernel/events/dispatcher.ts";
export type { Overrides } from "./service/container.ts";
export { type LoadConfigOptions, loadConfig } from "./service/load-config.ts";
export { createLogger, type ServiceLogger } from "./service/logger.ts";
export { type Addresses, type CreateOptions, createEngine, createService, type Service } from "./service/service.ts";
export { version } from "./service/version.ts";
