import type { JsonObject } from "./json.ts";

/** A trigger as dispatchers name it. */
export type TriggerReference = string | { readonly type: string; readonly parameters: JsonObject };
