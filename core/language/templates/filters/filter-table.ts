import { digestFilters } from "./digest-filters.ts";
import type { Filter } from "./filter.ts";
import { jsonFilters } from "./json-filters.ts";
import { layoutFilters } from "./layout-filters.ts";
import { listFilters } from "./list-filters.ts";
import { numberFilters } from "./number-filters.ts";
import { patternFilters } from "./pattern-filters.ts";
import { selectFilters } from "./select-filters.ts";
import { textFilters } from "./text-filters.ts";
import { valueFilters } from "./value-filters.ts";
import { versionFilters } from "./version-filters.ts";
import { yamlFilters } from "./yaml-filters.ts";

/** Filters by name. A new one is an entry in one of the groups, or a group of its own. `default` is part of the evaluator, as it takes what is undefined. */
export const filterTable: ReadonlyMap<string, Filter> = new Map(
	Object.entries({
		...textFilters,
		...digestFilters,
		...layoutFilters,
		...numberFilters,
		...listFilters,
		...selectFilters,
		...jsonFilters,
		...yamlFilters,
		...patternFilters,
		...versionFilters,
		...valueFilters,
	}),
);

/** Whether templates have a filter of this name. */
export function hasFilter(name: string): boolean {
	return name === "default" || name === "d" || filterTable.has(name);
}
