import {
	Composer,
	type CST,
	type Document,
	type DocumentOptions,
	isMap,
	isPair,
	isScalar,
	isSeq,
	Lexer,
	LineCounter,
	type ParseOptions,
	Parser,
	type SchemaOptions,
	type Tags,
	YAMLParseError,
} from "yaml";
import { exactNumberTags, SvcError } from "../contract/index.ts";

/** Maximum nesting of objects and lists in a YAML document. */
export const maxYamlDepth = 100;

/** Maximum number of aliases in a YAML document. The library scans all earlier nodes for each of them. */
const maxAliases = 1_000;

/**
 * Maximum number of lexical tokens in a file of a pack. The parsing time is proportional to it. 100,000 suffice for about 10,000 values, and
 * a long string has only a few tokens.
 */
export const maxFileTokens = 100_000;

/** Parsed YAML document with the positions of its lines. */
export interface YamlDocument {
	readonly document: Document;
	readonly lines: LineCounter;
}

/** Options of the YAML library, and the bounds of the source. */
export interface YamlOptions extends ParseOptions, DocumentOptions, Omit<SchemaOptions, "customTags"> {
	/** Returns the tags to use instead of those of the YAML version. */
	readonly customTags?: (tags: Tags) => Tags;
	/** Maximum number of lexical tokens in the source. Default: unlimited. */
	readonly maxTokens?: number;
}

/**
 * Parses a source that contains one YAML document, and returns the document with its errors. Whole numbers are exact; one that JSON cannot
 * represent is an error. Throws `SVC_INVALID`, with the line, if the source is nested more than `maxYamlDepth` levels deep or has too many
 * aliases or tokens. A source with several documents is also refused. An empty source results in a document without contents.
 */
export function parseYamlDocument(text: string, options: YamlOptions = {}): YamlDocument {
	const lines = new LineCounter();
	const { customTags = (tags) => tags, maxTokens = Number.POSITIVE_INFINITY } = options;
	const tokens = readTokens(text, lines, maxTokens);
	const exact = { customTags: (tags: Tags) => exactNumberTags(customTags(tags)) };
	const composer = new Composer({ ...options, ...exact, uniqueKeys: false, prettyErrors: false, logLevel: "error" });
	const [document, secondDocument] = composer.compose(tokens, true, text.length);
	// This is only for the type checker: the library returns a document even for an empty source.
	if (document === undefined) throw new SvcError("SVC_INVALID", "the document is empty");
	if (secondDocument !== undefined) {
		throw new SvcError("SVC_INVALID", `line ${lines.linePos(secondDocument.range[0]).line}: only one document is allowed`);
	}
	addDuplicateKeyErrors(document as Document);
	return { document: document as Document, lines };
}

/**
 * Adds an error for each object with a duplicate key. The library would compare each key with all earlier ones, which takes minutes for
 * some documents.
 */
function addDuplicateKeyErrors(document: Document): void {
	const pendingNodes: unknown[] = [document.contents];
	for (let node = pendingNodes.pop(); pendingNodes.length > 0 || node !== undefined; node = pendingNodes.pop()) {
		if (isPair(node)) pendingNodes.push(node.key, node.value);
		if (!isMap(node) && !isSeq(node)) continue;
		for (const item of node.items) pendingNodes.push(item);
		if (isMap(node)) document.errors.push(...findDuplicateKey(node.items.map(({ key }) => key)));
	}
}

/** Returns an error for the first duplicate key. The merge key `<<` may occur several times. */
function findDuplicateKey(keys: readonly unknown[]): readonly YAMLParseError[] {
	const seenKeys = new Set<unknown>();
	for (const key of keys) {
		if (!isScalar(key) || key.value === "<<") continue;
		const [from, to] = key.range ?? [0, 0];
		if (seenKeys.has(key.value)) return [new YAMLParseError([from, to], "DUPLICATE_KEY", "Map keys must be unique")];
		seenKeys.add(key.value);
	}
	return [];
}

/** Refuses a value that is nested too deeply with `SVC_INVALID`. Aliases can make a value deeper than its source. */
export function assertYamlDepth(value: unknown): void {
	let level: ReadonlySet<unknown> = new Set([value]);
	for (let depth = 0; level.size > 0; depth += 1) {
		if (depth > maxYamlDepth + 1) throw new SvcError("SVC_INVALID", tooDeepMessage);
		// The set contains each object once, even if many aliases refer to it.
		level = new Set([...level].flatMap((member) => (typeof member === "object" && member !== null ? Object.values(member) : [])));
	}
}

const tooDeepMessage = `objects and lists are nested more than ${maxYamlDepth} levels deep`;

/**
 * Returns the syntax tokens of a source. The composer of the library recurses until the stack is full, which can end the process. Its
 * parser also becomes slower with the depth. Parsing therefore stops as soon as the source is too deep.
 */
function readTokens(text: string, lines: LineCounter, maxTokens: number): readonly CST.Token[] {
	const parser = new Parser(lines.addNewLine);
	const tokens: CST.Token[] = [];
	lines.addNewLine(0);
	let [count, aliases] = [0, 0];
	for (const lexeme of new Lexer().lex(text)) {
		count += 1;
		if (lexeme.startsWith("*")) aliases += 1;
		if (count > maxTokens || aliases > maxAliases) {
			const limitText = count > maxTokens ? `${maxTokens} words, signs and lines` : `${maxAliases} aliases`;
			throw new SvcError("SVC_INVALID", `line ${lines.linePos(parser.offset).line}: the document has more than ${limitText}`);
		}
		tokens.push(...parser.next(lexeme));
		// The stack holds the document, the open objects and lists, and the item that is being read.
		if (parser.stack.length > maxYamlDepth + 1) {
			throw new SvcError("SVC_INVALID", `line ${lines.linePos(parser.offset).line}: ${tooDeepMessage}`);
		}
	}
	tokens.push(...parser.end());
	return tokens;
}
