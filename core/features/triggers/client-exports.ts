export type { TriggerInstanceRecord, TriggerRecord, TriggerTypeRecord } from "./client.ts";
