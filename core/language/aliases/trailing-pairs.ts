import { type CommandText, slice } from "./command-text.ts";
import { toValue } from "./value-text.ts";

/** A command without the `key=value` pairs at its end, and their values. */
export interface CutCommand {
	readonly command: CommandText;
	readonly pairs: Readonly<Record<string, string>>;
}

/** A word of a command: where it begins and ends and, where it is a pair, its key and where its value begins. */
interface Word {
	readonly start: number;
	readonly end: number;
	readonly key?: string;
	readonly value?: number;
}

/** Objects in a command that do not end; more of them are words like others, as each is looked for to the end of the command. */
const mostOpen = 10;

const key = /([A-Za-z_][\w.-]*)=/y;
const blanks = /\s*/y;
const bare = /\S+/y;
const quoted: Readonly<Record<string, RegExp>> = { '"': /"(?:[^"\\]|\\[^])*"/y, "'": /'(?:[^'\\]|\\[^])*'/y, "`": /```[^]*?```|`[^`]*`/y };

/** Cut off the pairs at the end of a command, up to the first whose key is one of `kept`. Takes linear time, whatever the command holds. */
export function cutPairs(command: CommandText, kept: ReadonlySet<string>): CutCommand {
	const words = new WordReader(command.plain).words();
	let { length: end } = command.plain;
	const cut: (readonly [string, string])[] = [];
	for (const word of words.reverse()) {
		if (word.key === undefined || kept.has(word.key)) break;
		cut.push([word.key, toValue(slice(command, word.value ?? word.start, word.end))]);
		end = word.start;
	}
	// The last of several with one key counts.
	return { command: slice(command, 0, end), pairs: Object.fromEntries(cut.reverse()) };
}

/** Reads the words of a text; what is quoted, and what stands in braces, is a part of one. */
class WordReader {
	readonly #text: string;
	/** Quotes that nothing closes any more. */
	readonly #open = new Set<string>();
	#openObjects = 0;

	constructor(text: string) {
		this.#text = text;
	}

	words(): Word[] {
		const words: Word[] = [];
		for (let start = this.#after(blanks, 0); start < this.#text.length; ) {
			const word = this.#pairAt(start) ?? { start, end: this.#wordEnd(start) };
			words.push(word);
			start = this.#after(blanks, word.end);
		}
		return words;
	}

	#pairAt(start: number): Word | undefined {
		key.lastIndex = start;
		const found = key.exec(this.#text);
		const value = key.lastIndex;
		if (found?.[1] === undefined || value === this.#text.length || /\s/.test(this.#text[value] ?? "")) return undefined;
		return { start, end: this.#wordEnd(value), key: found[1], value };
	}

	/** Where the word ends that begins here: what goes on behind a quote or a brace belongs to it. */
	#wordEnd(start: number): number {
		const enclosed = this.#enclosedEnd(start);
		return enclosed === undefined ? this.#after(bare, start) : this.#after(bare, enclosed, enclosed);
	}

	#enclosedEnd(start: number): number | undefined {
		const first = this.#text[start] ?? "";
		if (first === "{" || first === "[") return this.#objectEnd(start);
		const pattern = quoted[first];
		if (pattern === undefined || this.#open.has(first)) return undefined;
		const end = this.#after(pattern, start, -1);
		if (end !== -1) return end;
		this.#open.add(first);
		return undefined;
	}

	#objectEnd(start: number): number | undefined {
		if (this.#openObjects >= mostOpen) return undefined;
		let depth = 0;
		let isText = false;
		for (let index = start; index < this.#text.length; index += 1) {
			const character = this.#text[index];
			if (isText && character === "\\") index += 1;
			else if (character === '"') isText = !isText;
			else if (!isText && (character === "{" || character === "[")) depth += 1;
			else if (!isText && (character === "}" || character === "]")) {
				depth -= 1;
				if (depth === 0) return index + 1;
			}
		}
		this.#openObjects += 1;
		return undefined;
	}

	/** Where a match that begins here ends; `otherwise` where there is none. */
	#after(pattern: RegExp, start: number, otherwise = start): number {
		pattern.lastIndex = start;
		return pattern.test(this.#text) ? pattern.lastIndex : otherwise;
	}
}
