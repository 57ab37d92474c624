import type { ArgumentExpressions, Expression, FilterCall } from "./syntax.ts";
import type { TokenReader } from "./token-reader.ts";
import { toFloat } from "./values.ts";

/** Parser of a full expression, for the content of brackets. */
type ParseExpression = (reader: TokenReader) => Expression;

/** Maximum number of members and calls, or of filters, that may follow one value. */
const maxChainLength = 100;

const constants: ReadonlyMap<string, boolean | null> = new Map([
	["true", true],
	["True", true],
	["false", false],
	["False", false],
	["none", null],
	["None", null],
]);

/** Words that cannot be the name of a variable. */
const reservedWords: ReadonlySet<string> = new Set(["and", "or", "not", "if", "else", "elif", "in", "is", "for"]);

/** Parses a literal, a variable or a bracketed expression, with its members and calls. */
export function parsePrimary(reader: TokenReader, parse: ParseExpression): Expression {
	const token = reader.next();
	switch (token.kind) {
		case "name":
			return parseMembers(reader, toConstantOrPath(reader, token.text), parse);
		case "string":
			return parseMembers(reader, { kind: "constant", value: joinStrings(reader, String(token.value)) }, parse);
		case "integer":
			return { kind: "constant", value: token.value };
		case "float":
			return { kind: "constant", value: toFloat(Number(token.value)) };
	}
	if (token.text === "(") return parseMembers(reader, parseParenthesis(reader, parse), parse);
	if (token.text === "[") return parseMembers(reader, { kind: "list", items: parseItems(reader, "]", parse) }, parse);
	if (token.text === "{") return parseMembers(reader, parseObject(reader, parse), parse);
	throw reader.error(`unexpected "${token.text}"`);
}

function toConstantOrPath(reader: TokenReader, name: string): Expression {
	const constant = constants.get(name);
	if (constant !== undefined) return { kind: "constant", value: constant };
	if (reservedWords.has(name)) throw reader.error(`unexpected "${name}"`);
	return { kind: "path", name, keys: [] };
}

/** Joins adjacent string literals into one string. */
function joinStrings(reader: TokenReader, first: string): string {
	let text = first;
	while (reader.peek()?.kind === "string") text += reader.next().value;
	return text;
}

function parseParenthesis(reader: TokenReader, parse: ParseExpression): Expression {
	if (reader.take(")")) return { kind: "list", items: [] };
	const first = parse(reader);
	if (reader.take(")")) return first;
	reader.expect(",");
	return { kind: "list", items: [first, ...parseItems(reader, ")", parse)] };
}

function parseItems(reader: TokenReader, close: string, parse: ParseExpression): Expression[] {
	const items: Expression[] = [];
	while (!reader.take(close)) {
		items.push(parse(reader));
		if (!reader.isNext(close)) reader.expect(",");
	}
	return items;
}

function parseObject(reader: TokenReader, parse: ParseExpression): Expression {
	const entries: [Expression, Expression][] = [];
	while (!reader.take("}")) {
		const key = parse(reader);
		reader.expect(":");
		entries.push([key, parse(reader)]);
		if (!reader.isNext("}")) reader.expect(",");
	}
	return { kind: "object", entries };
}

function parseMembers(reader: TokenReader, start: Expression, parse: ParseExpression): Expression {
	let result = start;
	for (let count = 0; ; count++) {
		if (count > maxChainLength) throw reader.error(`more than ${maxChainLength} members in a row`);
		if (reader.take(".")) result = parseMember(reader, result, parse);
		else if (reader.take("[")) result = parseSubscript(reader, result, parse);
		else if (reader.isNext("(")) result = parseCall(reader, result, parse);
		else return result;
	}
}

function parseMember(reader: TokenReader, object: Expression, parse: ParseExpression): Expression {
	const token = reader.next();
	if (token.kind === "integer") return { kind: "member", object, key: { kind: "constant", value: token.value } };
	if (token.kind !== "name") throw reader.error('a name is missing behind "."');
	if (reader.isNext("(")) return { kind: "method", object, name: token.text, arguments: parseArguments(reader, parse) };
	return toMember(object, { kind: "constant", value: token.text });
}

function toMember(object: Expression, key: Expression): Expression {
	if (object.kind === "path" && key.kind === "constant" && typeof key.value === "string") {
		return { ...object, keys: [...object.keys, key.value] };
	}
	return { kind: "member", object, key };
}

function parseSubscript(reader: TokenReader, object: Expression, parse: ParseExpression): Expression {
	const bounds: (Expression | undefined)[] = [];
	for (;;) {
		bounds.push(reader.isNext(":") || reader.isNext("]") ? undefined : parse(reader));
		if (reader.take("]")) break;
		reader.expect(":");
	}
	const [key] = bounds;
	if (bounds.length > 3 || (bounds.length === 1 && key === undefined))
		throw reader.error("brackets hold an index or a slice of up to three parts");
	return bounds.length === 1 && key !== undefined ? toMember(object, key) : { kind: "slice", object, bounds };
}

function parseCall(reader: TokenReader, callee: Expression, parse: ParseExpression): Expression {
	if (callee.kind !== "path" || callee.keys.length > 0) throw reader.error("only a name can be called");
	return { kind: "call", name: callee.name, arguments: parseArguments(reader, parse) };
}

function parseArguments(reader: TokenReader, parse: ParseExpression): ArgumentExpressions {
	const positional: Expression[] = [];
	const named: [string, Expression][] = [];
	reader.expect("(");
	while (!reader.take(")")) {
		if (reader.peek()?.kind === "name" && reader.isNext("=", 1)) {
			const name = reader.takeName();
			reader.expect("=");
			named.push([name, parse(reader)]);
		} else positional.push(parse(reader));
		if (!reader.isNext(")")) reader.expect(",");
	}
	return { positional, named };
}

/** Parses the filters and tests after a value. */
export function parseFilters(reader: TokenReader, input: Expression, parse: ParseExpression): Expression {
	let result = input;
	for (let count = 0; ; count++) {
		if (count > maxChainLength) throw reader.error(`more than ${maxChainLength} filters in a row`);
		if (reader.take("|")) result = { kind: "filter", input: result, filter: parseFilterCall(reader, parse) };
		else if (reader.take("is")) result = parseTest(reader, result, parse);
		else return result;
	}
}

export function parseFilterCall(reader: TokenReader, parse: ParseExpression): FilterCall {
	const name = reader.takeName();
	return { name, arguments: reader.isNext("(") ? parseArguments(reader, parse) : { positional: [], named: [] } };
}

/** Parses `is name`, `is not name(arguments)`, or `is name argument` with a single argument without brackets. */
function parseTest(reader: TokenReader, input: Expression, parse: ParseExpression): Expression {
	const negated = reader.take("not");
	const name = reader.takeName();
	if (reader.isNext("(")) return { kind: "test", input, test: { name, arguments: parseArguments(reader, parse) }, isNegated: negated };
	const next = reader.peek();
	const hasArgument =
		next !== undefined && (next.kind !== "operator" || next.text === "[" || next.text === "{") && !reservedWords.has(next.text);
	const positional = hasArgument ? [reader.readNested(() => parsePrimary(reader, parse))] : [];
	return { kind: "test", input, test: { name, arguments: { positional, named: [] } }, isNegated: negated };
}
