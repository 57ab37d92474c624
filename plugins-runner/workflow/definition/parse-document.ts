import { Composer, type CST, type Document, Lexer, type LineCounter, Parser } from "yaml";
import { limits } from "./limits.ts";
import { yamlTags } from "./yaml-tags.ts";

type Token = CST.Token;

/** Names that stand twice are looked for by `ValueReader`: the library compares each name with all before it. */
const options = {
	version: "1.1",
	customTags: yamlTags,
	merge: false,
	resolveKnownTags: false,
	uniqueKeys: false,
	prettyErrors: false,
	logLevel: "error",
} as const;

/** A mistake of the notation. */
export interface Mistake {
	readonly message: string;
	/** Where it is in the text. */
	readonly offset: number;
}

/** A text in YAML 1.1 as a document, or what is wrong with it. */
export function parseDocument(text: string, lines: LineCounter): Document | readonly Mistake[] {
	// The library goes down into what stands in one another until the stack is full, which can end the process; its parser does not.
	const tokens = readTokens(text, lines);
	const deep = tokens.map(findTooDeep).find((token) => token !== undefined);
	if (deep !== undefined) return [{ message: `More than ${limits.depth} objects and lists stand in one another.`, offset: deep.offset }];
	const [document, another] = new Composer(options).compose(tokens, true, text.length);
	if (document === undefined) return [];
	const mistakes = [...document.errors, ...document.warnings].map(({ message, pos }) => ({ message: `${message}.`, offset: pos[0] }));
	if (another !== undefined) mistakes.push({ message: "The text holds more than one document.", offset: another.range[0] });
	return mistakes.length > 0 ? mistakes : (document as Document);
}

/** Those of a text that becomes too deep end there: the parser takes ever longer for what stands in one another. */
function readTokens(text: string, lines: LineCounter): readonly Token[] {
	const parser = new Parser(lines.addNewLine);
	lines.addNewLine(0);
	const tokens: Token[] = [];
	for (const lexeme of new Lexer().lex(text)) {
		tokens.push(...parser.next(lexeme));
		if (parser.stack.length > limits.depth + 8) break;
	}
	tokens.push(...parser.end());
	return tokens;
}

function findTooDeep(root: Token): Token | undefined {
	const open: { readonly token: Token; readonly depth: number }[] = [{ token: root, depth: 0 }];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { token, depth } = next;
		if (depth > limits.depth + 1) return token;
		for (const part of partsOf(token)) open.push({ token: part, depth: depth + 1 });
	}
	return undefined;
}

function partsOf(token: Token): readonly Token[] {
	if (token.type === "document") return token.value === undefined ? [] : [token.value];
	if (!("items" in token)) return [];
	return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part !== undefined && part !== null));
}
