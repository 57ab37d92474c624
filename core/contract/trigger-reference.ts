import type { JsonObject } from "./json.ts";

/** A trigger: the ref of a trigger or trigger type, or a trigger type with parameters. */
export type TriggerReference = string | { readonly type: string; readonly parameters: JsonObject };
