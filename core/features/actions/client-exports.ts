// Exports for the client and the commands of other features: the record of an execution contains its action.
export { type ActionClient, type ActionRecord, createActionClient, type RunnerTypeRecord } from "./client.ts";
