export type { RuleRecord } from "./client.ts";
// Runs of workflows are executions.
export { createExecutionClient, type ExecutionClient, type ExecutionRecord, type RunGraphRecord } from "./client.ts";
