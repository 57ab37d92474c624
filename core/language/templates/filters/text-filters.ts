import { TemplateError } from "../errors.ts";
import { formatPercent } from "../format.ts";
import { toPythonText } from "../python-text.ts";
import { capitalize, escapeMarkup, joinTexts, replace, shellQuote, strip } from "../text-operations.ts";
import { elementsOf, isList, isObject, type Value } from "../values.ts";
import { attributeGetter, type Filter, type FilterContext } from "./filter.ts";

/** Returns a filter that converts its input to a string first. */
const onText =
	(convert: (text: string) => Value): Filter =>
	(input, _args, { budget }) => {
		const text = toPythonText(input, budget);
		budget.spendText(text.length);
		return convert(text);
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
	trim: (input, args, { budget }) =>
		strip(toPythonText(input, budget), args.get(0, "chars") === undefined ? undefined : args.text(0, "chars")),
	replace: (input, args, { budget }) =>
		replace(toPythonText(input, budget), args.text(0, "old"), args.text(1, "new"), { count: args.integer(2, "count", -1), budget }),
	format: (input, args, { budget }) => formatPercent(toPythonText(input, budget), args.positional, budget),
	join: (input, args, context) => {
		const { budget } = context;
		const attribute = args.get(1, "attribute");
		const elements = elementsOf(input, budget);
		const parts = attribute === undefined ? elements : elements.map(attributeGetter(attribute, context));
		return joinTexts(parts, args.text(0, "d", ""), budget);
	},
	indent: (input, args, { budget }) => {
		const width = args.get(0, "width") ?? 4;
		const prefix = typeof width === "string" ? width : indentation(args.integer(0, "width", 4), budget);
		return indentLines(toPythonText(input, budget), prefix, {
			shouldIndentFirst: args.flag(1, "first", false),
			shouldIndentBlank: args.flag(2, "blank", false),
			budget,
		});
	},
	truncate: (input, args, { budget }) => {
		const text = toPythonText(input, budget);
		const length = args.integer(0, "length", 255);
		const end = args.text(2, "end", "...");
		if (text.length <= length + args.integer(3, "leeway", 5)) return text;
		const shortenedText = text.slice(0, Math.max(0, length - end.length));
		return (args.flag(1, "killwords", false) ? shortenedText : shortenedText.replace(/ [^ ]*$/, "")) + end;
	},
	urlencode: (input, _args, context) => urlEncode(input, context),
};

function indentation(width: number, budget: FilterContext["budget"]): string {
	if (width < 0) throw new TemplateError("indent needs a width of at least 0");
	budget.spendText(width);
	return " ".repeat(width);
}

function indentLines(
	text: string,
	prefix: string,
	options: { readonly shouldIndentFirst: boolean; readonly shouldIndentBlank: boolean; readonly budget: FilterContext["budget"] },
): string {
	const lines = text.split("\n");
	options.budget.spendText(text.length + lines.length * prefix.length);
	return lines
		.map((line, index) => ((index === 0 ? options.shouldIndentFirst : options.shouldIndentBlank || line !== "") ? prefix + line : line))
		.join("\n");
}

/** Encodes a string for the path of a URL, and an object or a list of pairs for its query. */
function urlEncode(input: Value, { budget }: FilterContext): string {
	if (!isObject(input) && !isList(input)) return quote(toPythonText(input, budget)).replaceAll("%2F", "/");
	const pairs = isObject(input) ? Object.entries(input) : input.map((pair) => elementsOf(pair, budget));
	budget.spendSteps(pairs.length);
	return pairs.map((pair) => pair.map((part) => quote(toPythonText(part as Value, budget)).replaceAll("%20", "+")).join("=")).join("&");
}

function quote(text: string): string {
	const wellFormed = text.replace(/\p{Cs}/gu, "\ufffd");
	return encodeURIComponent(wellFormed).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
