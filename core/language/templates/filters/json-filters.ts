import { maxLargeNumbers, parseJson } from "../../../contract/index.ts";
import { toJsonText } from "../python-json.ts";
import { elementsOf, isTrue, type Value } from "../values.ts";
import type { Filter } from "./filter.ts";

/** What `use_none` makes of null: as the whole value of a parameter it becomes null again. */
export const noneMarker = "%*****__%NONE%__*****%";

const compact = { itemSeparator: ", ", keySeparator: ": " };

const markup: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027" };

export const jsonFilters: Readonly<Record<string, Filter>> = {
	tojson: (input, given, { budget }) => {
		const text = toJsonText(input, { ...compact, sortKeys: true, indent: indentOf(given.get(0, "indent")) }, budget);
		return text.replace(/[<>&']/g, (character) => markup[character] ?? character);
	},
	to_json_string: (input, given, { budget }) => {
		const separators = given.get(2, "separators") ?? null;
		const [itemSeparator, keySeparator] = separators === null ? [",", ": "] : elementsOf(separators, budget);
		if (typeof itemSeparator !== "string" || typeof keySeparator !== "string") throw given.error("needs two texts as separators");
		const style = {
			itemSeparator,
			keySeparator,
			indent: indentOf(given.get(0, "indent")),
			sortKeys: isTrue(given.get(1, "sort_keys") ?? false),
		};
		return toJsonText(input, style, budget);
	},
	to_complex: (input, _given, { budget }) => toJsonText(input, compact, budget),
	from_json_string: (input, given, { budget }) => {
		if (input === null) return null;
		if (typeof input !== "string") throw given.error("needs a text");
		budget.text(input.length);
		try {
			return parseJson(input, maxLargeNumbers) as Value;
		} catch {
			// The message of the parser would quote the text, which may be a secret.
			throw given.error("needs a text that is JSON");
		}
	},
	use_none: (input) => input ?? noneMarker,
};

function indentOf(value: Value | undefined): number | undefined {
	return typeof value === "number" ? Math.min(Math.max(Math.trunc(value), 0), 16) : undefined;
}
