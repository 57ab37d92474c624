import { toLiteral, toText } from "../python-text.ts";
import { elementsOf, isObject, numberOf, typeName, type Value } from "../values.ts";
import type { Filter, FilterContext } from "./filter.ts";
import { escapeMarkup } from "./markup.ts";

const byteUnits = {
	decimal: { base: 1_000, names: ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"] },
	binary: { base: 1_024, names: ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"] },
} as const;

/** Filters that lay text out or mark it up. */
export const layoutFilters: Readonly<Record<string, Filter>> = {
	center: (input, given, { budget }) => {
		const text = toText(input, budget);
		const width = given.integer(0, "width", 80);
		const room = Math.max(0, width - [...text].length);
		budget.text(text.length + room);
		// An odd blank goes to the left when the width is odd, as in the reference language.
		const left = Math.floor(room / 2) + (room & width & 1);
		return " ".repeat(left) + text + " ".repeat(room - left);
	},
	wordwrap: (input, given, { budget }) => {
		const width = given.integer(0, "width", 79);
		if (width < 1) throw given.error("needs a width of at least 1");
		const separator = given.get(2, "wrapstring") === undefined ? "\n" : given.text(2, "wrapstring");
		const breakLong = given.flag(1, "break_long_words", true);
		const text = toText(input, budget);
		budget.text(2 * text.length + (text.length * separator.length) / (breakLong ? width : 1));
		return text
			.split(/\r?\n/)
			.map((line) => wrapLine(line, width, breakLong).join(separator))
			.join(separator);
	},
	slice: (input, given, { budget }) => {
		const count = given.integer(0, "slices");
		if (count < 1) throw given.error("needs at least 1 slice");
		const elements = elementsOf(input, budget);
		budget.step(count);
		const [size, longer] = [Math.floor(elements.length / count), elements.length % count];
		const fill = given.get(1, "fill_with") ?? null;
		return Array.from({ length: count }, (_, index) => {
			const start = index * size + Math.min(index, longer);
			const row = elements.slice(start, start + size + (index < longer ? 1 : 0));
			return fill !== null && longer > 0 && index >= longer ? [...row, fill] : row;
		});
	},
	filesizeformat: (input, given) => {
		const bytes = typeof input === "string" && input.trim() !== "" ? Number(input) : Number(numberOf(input) ?? Number.NaN);
		if (!Number.isFinite(bytes)) throw given.error(`needs a number, not ${typeName(input)}`);
		return fileSize(bytes, byteUnits[given.flag(0, "binary", false) ? "binary" : "decimal"]);
	},
	pprint: (input, _given, { budget }) => toLiteral(input, budget),
	striptags: (input, _given, { budget }) => {
		const text = toText(input, budget);
		budget.text(text.length);
		return withoutTags(text).split(/\s+/).filter(Boolean).join(" ");
	},
	urlize: (input, _given, { budget }) => {
		const text = toText(input, budget);
		budget.text(10 * text.length);
		return text.replace(/\S+/g, toLink);
	},
	xmlattr: (input, given, context) => {
		if (!isObject(input)) throw given.error(`needs an object, not ${typeName(input)}`);
		const attributes = Object.entries(input).filter(([, value]) => value !== null);
		const wrong = attributes.some(([name]) => name === "" || /[\s/>=]/.test(name));
		if (wrong) throw given.error("needs names of attributes without blanks, slashes, equals signs and brackets");
		const text = attributes.map(([name, value]) => `${escapeMarkup(name)}="${escaped(value, context)}"`).join(" ");
		return text !== "" && given.flag(0, "autospace", true) ? ` ${text}` : text;
	},
};

function escaped(value: Value, { budget }: FilterContext): string {
	const text = toText(value, budget);
	budget.text(5 * text.length);
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

/** The line in pieces of at most `width` characters, broken at blanks where possible. */
function wrapLine(line: string, width: number, breakLong: boolean): readonly string[] {
	const lines: string[] = [];
	let current = "";
	for (const word of line.split(/\s+/)) {
		const pieces = breakLong && word.length > width ? (word.match(new RegExp(`[^]{1,${width}}`, "g")) ?? []) : [word];
		for (const [index, piece] of pieces.entries()) {
			const joint = index === 0 && current !== "" ? " " : "";
			if (current !== "" && current.length + joint.length + piece.length > width) {
				lines.push(current);
				current = piece;
			} else current += joint + piece;
		}
	}
	return [...lines, current];
}

/** Comments and tags left out, in one pass however many brackets never close. */
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

/** A word that is an address, as a link; punctuation around it stays outside. */
function toLink(word: string): string {
	const [, head = "", address = "", tail = ""] = /^([(<]?)(.*?)([.,;:)>!?]{0,20})$/s.exec(word) ?? [];
	if (!/^(?:https?:\/\/|www\.)[^"'<>]+$/i.test(address)) return escapeMarkup(word);
	const target = /^www\./i.test(address) ? `https://${address}` : address;
	return `${escapeMarkup(head)}<a href="${escapeMarkup(target)}" rel="noopener">${escapeMarkup(address)}</a>${escapeMarkup(tail)}`;
}
