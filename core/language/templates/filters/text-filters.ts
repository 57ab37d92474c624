import { TemplateError } from "../errors.ts";
import { formatPercent } from "../format.ts";
import { toText } from "../python-text.ts";
import { capitalize, joinTexts, replace, shellQuote, strip } from "../text-operations.ts";
import { elementsOf, isList, isObject, type Value } from "../values.ts";
import { attributeGetter } from "./attribute.ts";
import type { Filter, FilterContext } from "./filter.ts";
import { escapeMarkup } from "./markup.ts";

/** A filter on the text form of its input. */
const onText =
	(change: (text: string) => Value): Filter =>
	(input, _given, { budget }) => {
		const text = toText(input, budget);
		budget.text(text.length);
		return change(text);
	};

const escapeText = onText(escapeMarkup);

export const textFilters: Readonly<Record<string, Filter>> = {
	upper: onText((text) => text.toUpperCase()),
	lower: onText((text) => text.toLowerCase()),
	capitalize: onText(capitalize),
	title: onText((text) => text.replace(/[^-\s({[<]+/g, capitalize)),
	string: onText((text) => text),
	safe: (input) => input,
	escape: escapeText,
	e: escapeText,
	forceescape: escapeText,
	wordcount: onText((text) => text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0),
	shell_quote: onText(shellQuote),
	trim: (input, given, { budget }) =>
		strip(toText(input, budget), given.get(0, "chars") === undefined ? undefined : given.text(0, "chars")),
	replace: (input, given, { budget }) =>
		replace(toText(input, budget), given.text(0, "old"), given.text(1, "new"), { count: given.integer(2, "count", -1), budget }),
	format: (input, given, { budget }) => formatPercent(toText(input, budget), given.positional, budget),
	join: (input, given, context) => {
		const { budget } = context;
		const attribute = given.get(1, "attribute");
		const elements = elementsOf(input, budget);
		const parts = attribute === undefined ? elements : elements.map(attributeGetter(attribute, context));
		return joinTexts(parts, given.text(0, "d", ""), budget);
	},
	indent: (input, given, { budget }) => {
		const width = given.get(0, "width") ?? 4;
		const prefix = typeof width === "string" ? width : indentation(given.integer(0, "width", 4), budget);
		return indent(toText(input, budget), prefix, { first: given.flag(1, "first", false), blank: given.flag(2, "blank", false), budget });
	},
	truncate: (input, given, { budget }) => {
		const text = toText(input, budget);
		const length = given.integer(0, "length", 255);
		const end = given.text(2, "end", "...");
		if (text.length <= length + given.integer(3, "leeway", 5)) return text;
		const cut = text.slice(0, Math.max(0, length - end.length));
		return (given.flag(1, "killwords", false) ? cut : cut.replace(/ [^ ]*$/, "")) + end;
	},
	urlencode: (input, _given, context) => urlEncode(input, context),
};

function indentation(width: number, budget: FilterContext["budget"]): string {
	if (width < 0) throw new TemplateError("indent needs a width of at least 0");
	budget.text(width);
	return " ".repeat(width);
}

function indent(
	text: string,
	prefix: string,
	options: { readonly first: boolean; readonly blank: boolean; readonly budget: FilterContext["budget"] },
): string {
	const lines = text.split("\n");
	options.budget.text(text.length + lines.length * prefix.length);
	return lines.map((line, index) => ((index === 0 ? options.first : options.blank || line !== "") ? prefix + line : line)).join("\n");
}

/** A text for a path, an object or list of pairs for a query. */
function urlEncode(input: Value, { budget }: FilterContext): string {
	if (!isObject(input) && !isList(input)) return quote(toText(input, budget)).replaceAll("%2F", "/");
	const pairs = isObject(input) ? Object.entries(input) : input.map((pair) => elementsOf(pair, budget));
	budget.step(pairs.length);
	return pairs.map((pair) => pair.map((part) => quote(toText(part as Value, budget)).replaceAll("%20", "+")).join("=")).join("&");
}

function quote(text: string): string {
	const wellFormed = text.replace(/\p{Cs}/gu, "\ufffd");
	return encodeURIComponent(wellFormed).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
