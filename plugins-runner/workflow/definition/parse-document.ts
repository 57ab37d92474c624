import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, Scalar, type ScalarTag, type Tags } from "yaml";
import { exactNumberTags } from "../../../core/contract/index.ts";
import { limits } from "./limits.ts";

/** Words of YAML 1.1 for true and false; its single letters are texts everywhere else, and here. */
const trueWords = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const falseWords = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;

const boolean = (value: boolean, test: RegExp): ScalarTag => ({
	tag: "tag:yaml.org,2002:bool",
	default: true,
	identify: (each) => each === value,
	test,
	resolve: () => new Scalar(value),
});

/** Kinds that JSON has no value for, so that a date stays the text that it is; and merge keys, which `ValueReader` resolves. */
const leftOut = new Set(["bool", "binary", "merge", "omap", "pairs", "set", "timestamp"].map((name) => `tag:yaml.org,2002:${name}`));

/** The kinds of values that YAML 1.1 knows, as far as JSON has them. */
const yamlTags = (tags: Tags): Tags => [
	boolean(true, trueWords),
	boolean(false, falseWords),
	...exactNumberTags(tags.filter((tag) => typeof tag === "string" || !leftOut.has(tag.tag))),
];

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
export interface YamlProblem {
	readonly message: string;
	/** Where it is in the text. */
	readonly offset: number;
}

/** A text in YAML 1.1 as a document, or what is wrong with it. */
export function parseDocument(text: string, lines: LineCounter): Document | readonly YamlProblem[] {
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
