import { toPythonLiteral, toPythonText } from "../python-text.ts";
import { escapeMarkup } from "../text-operations.ts";
import { elementsOf, isObject, numberOf, typeName, type Value } from "../values.ts";
import type { Filter, FilterContext } from "./filter.ts";

const byteUnits = {
	decimal: { base: 1_000, names: ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"] },
	binary: { base: 1_024, names: ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"] },
} as const;

/** Filters that arrange text, or add or remove markup. */
export const layoutFilters: Readonly<Record<string, Filter>> = {
	center: (input, args, { budget }) => {
		const text = toPythonText(input, budget);
		const width = args.integer(0, "width", 80);
		const paddingLength = Math.max(0, width - [...text].length);
		budget.spendText(text.length + paddingLength);
		// If the width is odd, an odd number of spaces has its extra space on the left, as in Jinja.
		const leftPadding = Math.floor(paddingLength / 2) + (paddingLength & width & 1);
		return " ".repeat(leftPadding) + text + " ".repeat(paddingLength - leftPadding);
	},
	wordwrap: (input, args, { budget }) => {
		const width = args.integer(0, "width", 79);
		if (width < 1) throw args.error("needs a width of at least 1");
		const separator = args.get(2, "wrapstring") === undefined ? "\n" : args.text(2, "wrapstring");
		const shouldBreakLongWords = args.flag(1, "break_long_words", true);
		const text = toPythonText(input, budget);
		budget.spendText(2 * text.length + (text.length * separator.length) / (shouldBreakLongWords ? width : 1));
		return text
			.split(/\r?\n/)
			.map((line) => wrapLine(line, width, shouldBreakLongWords).join(separator))
			.join(separator);
	},
	slice: (input, args, { budget }) => {
		const count = args.integer(0, "slices");
		if (count < 1) throw args.error("needs at least 1 slice");
		const elements = elementsOf(input, budget);
		budget.spendSteps(count);
		const [minRowLength, longerRowCount] = [Math.floor(elements.length / count), elements.length % count];
		const fillValue = args.get(1, "fill_with") ?? null;
		return Array.from({ length: count }, (_, index) => {
			const start = index * minRowLength + Math.min(index, longerRowCount);
			const row = elements.slice(start, start + minRowLength + (index < longerRowCount ? 1 : 0));
			return fillValue !== null && longerRowCount > 0 && index >= longerRowCount ? [...row, fillValue] : row;
		});
	},
	filesizeformat: (input, args) => {
		const bytes = typeof input === "string" && input.trim() !== "" ? Number(input) : Number(numberOf(input) ?? Number.NaN);
		if (!Number.isFinite(bytes)) throw args.error(`needs a number, not ${typeName(input)}`);
		return fileSize(bytes, byteUnits[args.flag(0, "binary", false) ? "binary" : "decimal"]);
	},
	pprint: (input, _args, { budget }) => toPythonLiteral(input, budget),
	striptags: (input, _args, { budget }) => {
		const text = toPythonText(input, budget);
		budget.spendText(text.length);
		return withoutTags(text).split(/\s+/).filter(Boolean).join(" ");
	},
	urlize: (input, _args, { budget }) => {
		const text = toPythonText(input, budget);
		budget.spendText(10 * text.length);
		return text.replace(/\S+/g, toLink);
	},
	xmlattr: (input, args, context) => {
		if (!isObject(input)) throw args.error(`needs an object, not ${typeName(input)}`);
		const attributes = Object.entries(input).filter(([, value]) => value !== null);
		const hasInvalidName = attributes.some(([name]) => name === "" || /[\s/>=]/.test(name));
		if (hasInvalidName) throw args.error("needs attribute names without spaces, slashes, equals signs and brackets");
		const text = attributes.map(([name, value]) => `${escapeMarkup(name)}="${escapeValue(value, context)}"`).join(" ");
		return text !== "" && args.flag(0, "autospace", true) ? ` ${text}` : text;
	},
};

function escapeValue(value: Value, { budget }: FilterContext): string {
	const text = toPythonText(value, budget);
	budget.spendText(5 * text.length);
	return escapeMarkup(text);
}

function fileSize(bytes: number, { base, names }: (typeof byteUnits)[keyof typeof byteUnits]): string {
	if (bytes === 1) return "1 Byte";
	if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
	let size = bytes / base;
	let index = 0;
	while (size >= base && index < names.length - 1) {
		size /= base;
		index++;
	}
	return `${size.toFixed(1)} ${names[index]}`;
}

/** Splits a line into parts of at most `width` characters, at white space if possible. */
function wrapLine(line: string, width: number, shouldBreakLongWords: boolean): readonly string[] {
	const lines: string[] = [];
	let current = "";
	for (const word of line.split(/\s+/)) {
		const pieces = shouldBreakLongWords && word.length > width ? (word.match(new RegExp(`[^]{1,${width}}`, "g")) ?? []) : [word];
		for (const [index, piece] of pieces.entries()) {
			const separator = index === 0 && current !== "" ? " " : "";
			if (current !== "" && current.length + separator.length + piece.length > width) {
				lines.push(current);
				current = piece;
			} else current += separator + piece;
		}
	}
	return [...lines, current];
}

/** Removes comments and tags. Takes linear time, even if many brackets are not closed. */
function withoutTags(text: string): string {
	const parts: string[] = [];
	let position = 0;
	for (;;) {
		const start = text.indexOf("<", position);
		const isComment = start >= 0 && text.startsWith("<!--", start);
		const closing = isComment ? "-->" : ">";
		const end = start < 0 ? -1 : text.indexOf(closing, start + 1);
		if (end < 0) return parts.join("") + text.slice(position);
		parts.push(text.slice(position, start));
		position = end + closing.length;
	}
}

/** Returns the HTML link of a word that is an address, without surrounding punctuation. Any other word is only escaped. */
function toLink(word: string): string {
	const [, head = "", address = "", tail = ""] = /^([(<]?)(.*?)([.,;:)>!?]{0,20})$/s.exec(word) ?? [];
	if (!/^(?:https?:\/\/|www\.)[^"'<>]+$/i.test(address)) return escapeMarkup(word);
	const target = /^www\./i.test(address) ? `https://${address}` : address;
	return `${escapeMarkup(head)}<a href="${escapeMarkup(target)}" rel="noopener">${escapeMarkup(address)}</a>${escapeMarkup(tail)}`;
}
