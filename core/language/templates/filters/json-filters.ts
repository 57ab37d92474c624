import { maxLargeNumbers, parseJson } from "../../../contract/index.ts";
import { toJsonText } from "../python-json.ts";
import { elementsOf, isTrue, type Value } from "../values.ts";
import type { Filter } from "./filter.ts";

/** Result of `use_none` for null. If it is the whole value of a parameter, it becomes null again. */
export const noneMarker = "%*****__%NONE%__*****%";

const compactStyle = { itemSeparator: ", ", keySeparator: ": " };

const markupEscapes: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027" };

export const jsonFilters: Readonly<Record<string, Filter>> = {
	tojson: (input, args, { budget }) => {
		const text = toJsonText(input, { ...compactStyle, sortKeys: true, indent: indentOf(args.get(0, "indent")) }, budget);
		return text.replace(/[<>&']/g, (character) => markupEscapes[character] ?? character);
	},
	to_json_string: (input, args, { budget }) => {
		const separators = args.get(2, "separators") ?? null;
		const [itemSeparator, keySeparator] = separators === null ? [",", ": "] : elementsOf(separators, budget);
		if (typeof itemSeparator !== "string" || typeof keySeparator !== "string") throw args.error("needs two strings as separators");
		const style = {
			itemSeparator,
			keySeparator,
			indent: indentOf(args.get(0, "indent")),
			sortKeys: isTrue(args.get(1, "sort_keys") ?? false),
		};
		return toJsonText(input, style, budget);
	},
	to_complex: (input, _args, { budget }) => toJsonText(input, compactStyle, budget),
	from_json_string: (input, args, { budget }) => {
		if (input === null) return null;
		if (typeof input !== "string") throw args.error("needs a string");
		budget.spendText(input.length);
		try {
			return parseJson(input, maxLargeNumbers) as Value;
		} catch {
			// The parser's message would quote the string, which may be a secret.
			throw args.error("needs a JSON string");
		}
	},
	use_none: (input) => input ?? noneMarker,
};

function indentOf(value: Value | undefined): number | undefined {
	return typeof value === "number" ? Math.min(Math.max(Math.trunc(value), 0), 16) : undefined;
}
