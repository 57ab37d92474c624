export type { RuleRecord } from "./client.ts";
