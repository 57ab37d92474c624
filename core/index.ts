export type { Overrides } from "./container.ts";
export * from "./contract/index.ts";
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
} from "./engine/engine-api.ts";
export type { RuleFilter, RuleInput, Rules, RuleTestInput, RuleTestOutcome, RuleView } from "./engine/rules/rules-api.ts";
export type { TraceFilter, Traces, TraceView } from "./engine/traces-api.ts";
export type { Dispatch, Dispatcher } from "./engine/triggers/dispatcher.ts";
export type { TriggersApi } from "./engine/triggers/triggers-api.ts";
export { type LoadConfigOptions, loadConfig } from "./load-config.ts";
export { createLogger, type ServiceLogger } from "./logger.ts";
export { type Addresses, type CreateOptions, createEngine, createService, type Service } from "./service.ts";
export { version } from "./version.ts";
