export type { RuleRecord } from "./client.ts";
// Other features use these for workflow runs, which are executions.
export { createExecutionClient, type ExecutionClient, type ExecutionRecord, type RunGraphRecord } from "./client.ts";
