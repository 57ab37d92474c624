import type { Filter } from "./filter.ts";
import { jsonFilters } from "./json-filters.ts";
import { listFilters } from "./list-filters.ts";
import { numberFilters } from "./number-filters.ts";
import { selectFilters } from "./select-filters.ts";
import { textFilters } from "./text-filters.ts";
import { valueFilters } from "./value-filters.ts";

/** Filters by name. A new one is an entry in one of the groups, or a group of its own. `default` is part of the evaluator, as it takes what is undefined. */
export const filterTable: ReadonlyMap<string, Filter> = new Map(
	Object.entries({ ...textFilters, ...numberFilters, ...listFilters, ...selectFilters, ...jsonFilters, ...valueFilters }),
);
