// What the parts of the client and the commands of other features use of this one's part: an execution has its action in it.
export { type ActionClient, type ActionRecord, createActionClient, type RunnerTypeRecord } from "./client.ts";
