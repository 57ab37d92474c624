import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, Scalar, type ScalarTag, type Tags } from "yaml";
import { exactNumberTags } from "../../../core/contract/index.ts";
import { limits } from "./limits.ts";

/** Words of YAML 1.1 for true and false. Its single letters, such as `y`, remain strings, as in most implementations. */
const trueWords = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const falseWords = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;

const createBooleanTag = (value: boolean, test: RegExp): ScalarTag => ({
	tag: "tag:yaml.org,2002:bool",
	default: true,
	identify: (each) => each === value,
	test,
	resolve: () => new Scalar(value),
});

/** Kinds without a counterpart in JSON, so that a date, for example, remains a string. Merge keys are resolved by `ValueReader`. */
const omittedTags = new Set(["bool", "binary", "merge", "omap", "pairs", "set", "timestamp"].map((name) => `tag:yaml.org,2002:${name}`));

/** Kinds of values of YAML 1.1 that JSON has. */
const yamlTags = (tags: Tags): Tags => [
	createBooleanTag(true, trueWords),
	createBooleanTag(false, falseWords),
	...exactNumberTags(tags.filter((tag) => typeof tag === "string" || !omittedTags.has(tag.tag))),
];

type Token = CST.Token;

/** Options of the parser. `ValueReader` detects duplicate names, because the library compares each name with all names before it. */
const options = {
	version: "1.1",
	customTags: yamlTags,
	merge: false,
	resolveKnownTags: false,
	uniqueKeys: false,
	prettyErrors: false,
	logLevel: "error",
} as const;

/** Syntax error in a document. */
export interface YamlProblem {
	readonly message: string;
	/** Position in the document. */
	readonly offset: number;
}

/** Parses a YAML 1.1 document. Returns the document, or its syntax errors. */
export function parseDocument(text: string, lines: LineCounter): Document | readonly YamlProblem[] {
	// The library's composer recurses into nested values until the stack is full, which can end the process. Its parser does not.
	const tokens = readTokens(text, lines);
	const tooDeepToken = tokens.map(findTooDeep).find((token) => token !== undefined);
	if (tooDeepToken !== undefined)
		return [{ message: `Objects and lists are nested more than ${limits.depth} levels deep.`, offset: tooDeepToken.offset }];
	const [document, secondDocument] = new Composer(options).compose(tokens, true, text.length);
	if (document === undefined) return [];
	const syntaxErrors = [...document.errors, ...document.warnings].map(({ message, pos }) => ({ message: `${message}.`, offset: pos[0] }));
	if (secondDocument !== undefined)
		syntaxErrors.push({ message: "The text contains more than one document.", offset: secondDocument.range[0] });
	return syntaxErrors.length > 0 ? syntaxErrors : (document as Document);
}

/** Returns the tokens of a document. Stops if the document is nested too deeply, because the parser slows down with each level. */
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
	const stack: { readonly token: Token; readonly depth: number }[] = [{ token: root, depth: 0 }];
	for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
		const { token, depth } = next;
		if (depth > limits.depth + 1) return token;
		for (const part of partsOf(token)) stack.push({ token: part, depth: depth + 1 });
	}
	return undefined;
}

function partsOf(token: Token): readonly Token[] {
	if (token.type === "document") return token.value === undefined ? [] : [token.value];
	if (!("items" in token)) return [];
	return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part !== undefined && part !== null));
}
