import { versionFilters } from "../templates/filters/filter-table.ts";
import { patternFilters } from "../templates/filters/pattern-filters.ts";

/** Template filters that expressions can call as functions, by function name. The first argument is the input of the filter. */
export const filterFunctions: ReadonlyMap<string, string> = new Map([
	["json_parse", "from_json_string"],
	["json_dump", "to_json_string"],
	["yaml_parse", "from_yaml_string"],
	["yaml_dump", "to_yaml_string"],
	...[
		"basename",
		"dirname",
		"from_json_string",
		"to_json_string",
		"from_yaml_string",
		"to_yaml_string",
		"json_escape",
		"jsonpath_query",
		...Object.keys(patternFilters),
		"to_human_time_from_seconds",
		"use_none",
		...Object.keys(versionFilters),
	].map((name): [string, string] => [name, name]),
]);
