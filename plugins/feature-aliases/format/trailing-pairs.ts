import { type CommandText, sliceCommand } from "./command-text.ts";
import { toValue } from "./value-text.ts";

/** Command without the `key=value` pairs at its end, and the values of these pairs. */
export interface CommandWithPairs {
	readonly command: CommandText;
	readonly pairs: Readonly<Record<string, string>>;
}

/** Word of a command as start and end index. If it is a pair, it also has the key and the index at which the value begins. */
interface Word {
	readonly start: number;
	readonly end: number;
	readonly key?: string;
	readonly valueStart?: number;
}

/**
 * Maximum number of unclosed objects in one command. The search for each runs to the end of the command; braces beyond the limit are
 * ordinary characters.
 */
const maxUnclosedObjects = 10;

const keyPattern = /([A-Za-z_][\w.-]*)=/y;
const blanksPattern = /\s*/y;
const nonBlankPattern = /\S+/y;
const quotedPatterns: Readonly<Record<string, RegExp>> = {
	'"': /"(?:[^"\\]|\\[^])*"/y,
	"'": /'(?:[^'\\]|\\[^])*'/y,
	"`": /```[^]*?```|`[^`]*`/y,
};

/**
 * Splits off the pairs at the end of a command. Goes backwards and stops at a pair whose key the format contains literally. Takes linear
 * time for any command.
 */
export function splitTrailingPairs(command: CommandText, formatKeys: ReadonlySet<string>): CommandWithPairs {
	const words = new WordReader(command.plain).words();
	let { length: end } = command.plain;
	const reversedPairs: (readonly [string, string])[] = [];
	for (const word of words.reverse()) {
		if (word.key === undefined || formatKeys.has(word.key)) break;
		reversedPairs.push([word.key, toValue(sliceCommand(command, word.valueStart ?? word.start, word.end))]);
		end = word.start;
	}
	// If several pairs have the same key, the last one takes precedence.
	return { command: sliceCommand(command, 0, end), pairs: Object.fromEntries(reversedPairs.reverse()) };
}

/** Reads the words of a command. A quoted or braced section belongs to a single word. */
class WordReader {
	readonly #text: string;
	/** Quote characters that have no closing counterpart in the rest of the command. */
	readonly #unclosedQuotes = new Set<string>();
	#unclosedObjects = 0;

	constructor(text: string) {
		this.#text = text;
	}

	words(): Word[] {
		const words: Word[] = [];
		for (let start = this.#endOfMatch(blanksPattern, 0); start < this.#text.length; ) {
			const word = this.#pairAt(start) ?? { start, end: this.#wordEnd(start) };
			words.push(word);
			start = this.#endOfMatch(blanksPattern, word.end);
		}
		return words;
	}

	#pairAt(start: number): Word | undefined {
		keyPattern.lastIndex = start;
		const match = keyPattern.exec(this.#text);
		const valueStart = keyPattern.lastIndex;
		if (match?.[1] === undefined || valueStart === this.#text.length || /\s/.test(this.#text[valueStart] ?? "")) return undefined;
		return { start, end: this.#wordEnd(valueStart), key: match[1], valueStart };
	}

	/** Returns the end of the word that begins at an index. Characters directly after a quote or brace belong to the same word. */
	#wordEnd(start: number): number {
		const enclosed = this.#enclosedEnd(start);
		return enclosed === undefined ? this.#endOfMatch(nonBlankPattern, start) : this.#endOfMatch(nonBlankPattern, enclosed, enclosed);
	}

	#enclosedEnd(start: number): number | undefined {
		const first = this.#text[start] ?? "";
		if (first === "{" || first === "[") return this.#objectEnd(start);
		const pattern = quotedPatterns[first];
		if (pattern === undefined || this.#unclosedQuotes.has(first)) return undefined;
		const end = this.#endOfMatch(pattern, start, -1);
		if (end !== -1) return end;
		this.#unclosedQuotes.add(first);
		return undefined;
	}

	#objectEnd(start: number): number | undefined {
		if (this.#unclosedObjects >= maxUnclosedObjects) return undefined;
		let depth = 0;
		let isInText = false;
		for (let index = start; index < this.#text.length; index += 1) {
			const character = this.#text[index];
			if (isInText && character === "\\") index += 1;
			else if (character === '"') isInText = !isInText;
			else if (!isInText && (character === "{" || character === "[")) depth += 1;
			else if (!isInText && (character === "}" || character === "]")) {
				depth -= 1;
				if (depth === 0) return index + 1;
			}
		}
		this.#unclosedObjects += 1;
		return undefined;
	}

	/** Returns the end of a match that begins at a position, or `fallback` if there is none. */
	#endOfMatch(pattern: RegExp, start: number, fallback = start): number {
		pattern.lastIndex = start;
		return pattern.test(this.#text) ? pattern.lastIndex : fallback;
	}
}
