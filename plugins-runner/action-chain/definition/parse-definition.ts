import { Composer, type CST, type Document, isMap, isScalar, Lexer, type LineCounter, Parser, type Tags, type YAMLMap } from "yaml";
import { exactNumberTags } from "../../../core/contract/index.ts";

/** Maximum nesting depth of objects and lists. */
const maxDepth = 64;
/**
 * Options of the YAML library. Its check for duplicate keys compares each key with all keys before it, so this module checks them itself.
 */
const options = {
	customTags: (tags: Tags) => exactNumberTags(tags),
	merge: true,
	stringKeys: true,
	uniqueKeys: false,
	prettyErrors: false,
	logLevel: "error",
} as const;

/** Syntax error in a definition. */
export interface Mistake {
	readonly message: string;
	/** Character offset in the definition. */
	readonly offset: number;
}

/** Parses YAML. Returns the document, or the first error. */
export function parseDefinition(text: string, lines: LineCounter): Document | Mistake {
	// The composer of the library recurses into nested values and can overflow the stack, which may end the process. Its parser does not
	// recurse.
	const tokens = readTokens(text, lines);
	const deep = tokens.map(findTooDeep).find((token) => token !== undefined);
	if (deep !== undefined) return { message: `objects and lists are nested more than ${maxDepth} levels deep`, offset: deep.offset };
	const [document, another] = new Composer(options).compose(tokens, true, text.length);
	if (document === undefined) return { message: "the document is empty", offset: 0 };
	const [error] = document.errors;
	if (error !== undefined) {
		const hint = error.code === "NON_STRING_KEY" ? "; put a value that begins with a brace in quotes" : "";
		return { message: `${error.message}${hint}`, offset: error.pos[0] };
	}
	if (another !== undefined) return { message: "only one document is allowed", offset: another.range[0] };
	return findTwice(document as Document) ?? (document as Document);
}

/** Returns the tokens of a definition. Stops when the nesting is too deep, because the time of the parser grows with the depth. */
function readTokens(text: string, lines: LineCounter): readonly CST.Token[] {
	const parser = new Parser(lines.addNewLine);
	lines.addNewLine(0);
	const tokens: CST.Token[] = [];
	for (const lexeme of new Lexer().lex(text)) {
		tokens.push(...parser.next(lexeme));
		if (parser.stack.length > maxDepth + 8) break;
	}
	tokens.push(...parser.end());
	return tokens;
}

function findTooDeep(root: CST.Token): CST.Token | undefined {
	const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token: root, depth: 0 }];
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { token, depth } = next;
		if (depth > maxDepth + 1) return token;
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
