import { Composer, type CST, type Document, isMap, isScalar, Lexer, type LineCounter, Parser, type Tags, type YAMLMap } from "yaml";
import { exactNumberTags } from "../../../core/contract/index.ts";

/** Objects and lists in one another. */
const deepest = 64;
/** Names that stand twice are looked for here: the library compares each name with all before it. */
const options = {
	customTags: (tags: Tags) => exactNumberTags(tags),
	merge: true,
	stringKeys: true,
	uniqueKeys: false,
	prettyErrors: false,
	logLevel: "error",
} as const;

/** What is wrong with the notation of a text. */
export interface Mistake {
	readonly message: string;
	/** Where it is in the text. */
	readonly offset: number;
}

/** A text in YAML as a document, or the first thing that is wrong with it. */
export function parseDefinition(text: string, lines: LineCounter): Document | Mistake {
	// The library goes down into what stands in one another until the stack is full, which can end the process; its parser does not.
	const tokens = readTokens(text, lines);
	const deep = tokens.map(findTooDeep).find((token) => token !== undefined);
	if (deep !== undefined) return { message: `more than ${deepest} objects and lists stand in one another`, offset: deep.offset };
	const [document, another] = new Composer(options).compose(tokens, true, text.length);
	if (document === undefined) return { message: "the text is empty", offset: 0 };
	const [error] = document.errors;
	if (error !== undefined) {
		const hint = error.code === "NON_STRING_KEY" ? "; a value that begins with braces needs quotes around it" : "";
		return { message: `${error.message}${hint}`, offset: error.pos[0] };
	}
	if (another !== undefined) return { message: "the text holds more than one document", offset: another.range[0] };
	return findTwice(document as Document) ?? (document as Document);
}

/** Those of a text that becomes too deep end there: the parser takes ever longer for what stands in one another. */
function readTokens(text: string, lines: LineCounter): readonly CST.Token[] {
	const parser = new Parser(lines.addNewLine);
	lines.addNewLine(0);
	const tokens: CST.Token[] = [];
	for (const lexeme of new Lexer().lex(text)) {
		tokens.push(...parser.next(lexeme));
		if (parser.stack.length > deepest + 8) break;
	}
	tokens.push(...parser.end());
	return tokens;
}

function findTooDeep(root: CST.Token): CST.Token | undefined {
	const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token: root, depth: 0 }];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { token, depth } = next;
		if (depth > deepest + 1) return token;
		for (const part of partsOf(token)) open.push({ token: part, depth: depth + 1 });
	}
	return undefined;
}

function partsOf(token: CST.Token): readonly CST.Token[] {
	if (token.type === "document") return token.value === undefined ? [] : [token.value];
	if (!("items" in token)) return [];
	return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part !== undefined && part !== null));
}

function findTwice({ contents }: Document): Mistake | undefined {
	const open: unknown[] = [contents];
	for (let node = open.pop(); node !== undefined && node !== null; node = open.pop()) {
		if (typeof node !== "object" || !("items" in node)) continue;
		if (isMap(node)) {
			const mistake = twiceIn(node);
			if (mistake !== undefined) return mistake;
		}
		for (const item of node.items as readonly unknown[])
			open.push(isMap(node) ? ((item as { readonly value: unknown }).value ?? 0) : (item ?? 0));
	}
	return undefined;
}

function twiceIn(map: YAMLMap): Mistake | undefined {
	const seen = new Set<unknown>();
	for (const { key } of map.items) {
		if (!isScalar(key) || key.value === "<<") continue;
		if (seen.has(key.value)) return { message: `"${String(key.value)}" stands here twice`, offset: key.range?.[0] ?? 0 };
		seen.add(key.value);
	}
	return undefined;
}
