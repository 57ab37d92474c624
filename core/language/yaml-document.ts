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

/** Objects and lists in one another that a text in YAML may have. */
export const deepestYaml = 100;

/** References to earlier parts that a text in YAML may have: the library looks through all of them for each one. */
const maxAliases = 1_000;

/** Words, signs and lines that a file of a pack may have: enough for 10,000 values, and reading twice as many takes twice as long. Long texts have few of them. */
export const maxFileTokens = 100_000;

/** A text in YAML, and where its lines begin. */
export interface YamlDocument {
	readonly document: Document;
	readonly lines: LineCounter;
}

export interface YamlOptions extends ParseOptions, DocumentOptions, Omit<SchemaOptions, "customTags"> {
	/** Changes the tags of the version. */
	readonly customTags?: (tags: Tags) => Tags;
	/** Words, signs and lines that the text may have. Default: any number. */
	readonly maxTokens?: number;
}

/** A text in YAML as a document, with its errors. Whole numbers are exact; one that JSON cannot represent is an error. `SVC_INVALID`, with the line, for one that is nested more than `deepestYaml` deep, or has too many aliases or tokens. */
export function parseYamlDocument(text: string, options: YamlOptions = {}): YamlDocument {
	const lines = new LineCounter();
	const { customTags = (tags) => tags, maxTokens = Number.POSITIVE_INFINITY } = options;
	const tokens = readTokens(text, lines, maxTokens);
	const exact = { customTags: (tags: Tags) => exactNumberTags(customTags(tags)) };
	const composer = new Composer({ ...options, ...exact, uniqueKeys: false, prettyErrors: false, logLevel: "error" });
	const [document, another] = composer.compose(tokens, true, text.length);
	// A document is made of an empty text, too.
	if (document === undefined) throw new SvcError("SVC_INVALID", "the text is empty");
	if (another !== undefined) {
		throw new SvcError("SVC_INVALID", `line ${lines.linePos(another.range[0]).line}: the text holds more than one document`);
	}
	noteTwice(document as Document);
	return { document: document as Document, lines };
}

/** Names that stand twice are looked for here: the library compares each name with all before it, which takes minutes for some texts. */
function noteTwice(document: Document): void {
	const open: unknown[] = [document.contents];
	for (let node = open.pop(); open.length > 0 || node !== undefined; node = open.pop()) {
		if (isPair(node)) open.push(node.key, node.value);
		if (!isMap(node) && !isSeq(node)) continue;
		for (const item of node.items) open.push(item);
		if (isMap(node)) document.errors.push(...findTwice(node.items.map(({ key }) => key)));
	}
}

/** Whatever is merged in may be so several times. */
function findTwice(keys: readonly unknown[]): readonly YAMLParseError[] {
	const seen = new Set<unknown>();
	for (const key of keys) {
		if (!isScalar(key) || key.value === "<<") continue;
		const [from, to] = key.range ?? [0, 0];
		if (seen.has(key.value)) return [new YAMLParseError([from, to], "DUPLICATE_KEY", "Map keys must be unique")];
		seen.add(key.value);
	}
	return [];
}

/** What references to earlier parts of a text are put together to can be deeper than the text. `SVC_INVALID` then. */
export function assertShallow(value: unknown): void {
	let level: ReadonlySet<unknown> = new Set([value]);
	for (let depth = 0; level.size > 0; depth += 1) {
		if (depth > deepestYaml + 1) throw new SvcError("SVC_INVALID", tooDeep);
		// Each once: what many refer to is the same object.
		level = new Set([...level].flatMap((member) => (typeof member === "object" && member !== null ? Object.values(member) : [])));
	}
}

const tooDeep = `more than ${deepestYaml} objects and lists stand in one another`;

/**
 * The library goes down into what stands in one another until the stack is full, which can end the process, and its parser takes ever
 * longer for it: it is stopped where a text becomes too deep.
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
			const most = count > maxTokens ? `${maxTokens} words, signs and lines` : `${maxAliases} aliases`;
			throw new SvcError("SVC_INVALID", `line ${lines.linePos(parser.offset).line}: the text has more than ${most}`);
		}
		tokens.push(...parser.next(lexeme));
		// What is open: the document, objects and lists, and what is being read in them.
		if (parser.stack.length > deepestYaml + 1) {
			throw new SvcError("SVC_INVALID", `line ${lines.linePos(parser.offset).line}: ${tooDeep}`);
		}
	}
	tokens.push(...parser.end());
	return tokens;
}
