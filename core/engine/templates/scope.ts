import type { JsonObject, JsonValue } from "../../contract/index.ts";

/** Where a template finds its variables. */
export interface TemplateScope {
	/** The variable of this name; undefined when there is none. */
	lookup(name: string): JsonValue | undefined;
	/** Asked first for a variable with constant members, such as `["svckv", "system", "a", "b"]`; undefined leaves it to `lookup`. */
	lookupPath?(path: readonly string[]): JsonValue | undefined;
}

/** A scope of given values. */
export function toScope(values: JsonObject): TemplateScope {
	return { lookup: (name) => (Object.hasOwn(values, name) ? values[name] : undefined) };
}
