import type { ArithmeticOperator, ComparisonOperator } from "./operators.ts";
import type { ArgumentExpressions, Expression, FilterCall } from "./syntax.ts";
import type { TokenReader } from "./token-reader.ts";
import { toFloat } from "./values.ts";

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

/** Parses an expression. A comma at the top level makes it a list. */
export function parseExpressionList(reader: TokenReader): Expression {
	const first = parseExpression(reader);
	if (!reader.isNext(",")) return first;
	const items = [first];
	while (reader.take(",")) if (reader.peek() !== undefined) items.push(parseExpression(reader));
	return { kind: "list", items };
}

/**
 * Parses an expression. The precedence follows Jinja, from loose to tight: inline if, or, and, not, comparison, sum, `~`, product, power,
 * sign.
 */
export function parseExpression(reader: TokenReader): Expression {
	return reader.readNested(() => {
		const then = parseOr(reader);
		if (!reader.take("if")) return then;
		const test = parseOr(reader);
		return { kind: "conditional", test, then, otherwise: reader.take("else") ? parseExpression(reader) : undefined };
	});
}

/** Parses an expression without an inline if. The iterable of a loop needs this, because the loop's own `if` follows it. */
export function parseOr(reader: TokenReader): Expression {
	return parseLogical(reader, "or", () => parseLogical(reader, "and", () => parseNot(reader)));
}

function parseLogical(reader: TokenReader, word: "and" | "or", parseOperand: () => Expression): Expression {
	const first = parseOperand();
	if (!reader.isNext(word)) return first;
	const operands = [first];
	while (reader.take(word)) operands.push(parseOperand());
	return { kind: word, operands };
}

function parseNot(reader: TokenReader): Expression {
	if (!reader.take("not")) return parseComparison(reader);
	return { kind: "not", operand: reader.readNested(() => parseNot(reader)) };
}

const comparisons: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">=", "in"]);

function parseComparison(reader: TokenReader): Expression {
	const first = parseSum(reader);
	const rest: [ComparisonOperator, Expression][] = [];
	for (;;) {
		const operator = takeComparison(reader);
		if (operator === undefined) return rest.length === 0 ? first : { kind: "comparison", first, rest };
		rest.push([operator, parseSum(reader)]);
	}
}

function takeComparison(reader: TokenReader): ComparisonOperator | undefined {
	if (comparisons.has(reader.peek()?.text ?? "")) return reader.next().text as ComparisonOperator;
	if (!reader.isNext("not") || !reader.isNext("in", 1)) return undefined;
	reader.next();
	reader.next();
	return "not in";
}

const parsePower = arithmetic(["**"], (reader) => parseSign(reader, true));
const parseProduct = arithmetic(["*", "/", "//", "%"], parsePower);
const parseConcatenation = arithmetic(["~"], parseProduct);
const parseSum = arithmetic(["+", "-"], parseConcatenation);

function arithmetic(operators: readonly ArithmeticOperator[], parseOperand: (reader: TokenReader) => Expression) {
	return (reader: TokenReader): Expression => {
		const first = parseOperand(reader);
		const rest: [ArithmeticOperator, Expression][] = [];
		for (;;) {
			const operator = operators.find((candidate) => reader.take(candidate));
			if (operator === undefined) return rest.length === 0 ? first : { kind: "arithmetic", first, rest };
			rest.push([operator, parseOperand(reader)]);
		}
	};
}

/** Parses a sign. As in Jinja, it binds tighter than a filter: `-x|abs` is `(-x)|abs`. */
function parseSign(reader: TokenReader, withFilters: boolean): Expression {
	const isSign = reader.isNext("-") || reader.isNext("+");
	const value: Expression = isSign
		? { kind: "sign", operator: reader.next().text as "+" | "-", operand: reader.readNested(() => parseSign(reader, false)) }
		: parsePrimary(reader);
	return withFilters ? parseFilters(reader, value) : value;
}

/** Parses a literal, a variable or a bracketed expression, with its members and calls. */
function parsePrimary(reader: TokenReader): Expression {
	const token = reader.next();
	switch (token.kind) {
		case "name":
			return parseMembers(reader, toConstantOrPath(reader, token.text));
		case "string":
			return parseMembers(reader, { kind: "constant", value: joinStrings(reader, String(token.value)) });
		case "integer":
			return { kind: "constant", value: token.value };
		case "float":
			return { kind: "constant", value: toFloat(Number(token.value)) };
	}
	if (token.text === "(") return parseMembers(reader, parseParenthesis(reader));
	if (token.text === "[") return parseMembers(reader, { kind: "list", items: parseItems(reader, "]") });
	if (token.text === "{") return parseMembers(reader, parseObject(reader));
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

function parseParenthesis(reader: TokenReader): Expression {
	if (reader.take(")")) return { kind: "list", items: [] };
	const first = parseExpression(reader);
	if (reader.take(")")) return first;
	reader.expect(",");
	return { kind: "list", items: [first, ...parseItems(reader, ")")] };
}

function parseItems(reader: TokenReader, close: string): Expression[] {
	const items: Expression[] = [];
	while (!reader.take(close)) {
		items.push(parseExpression(reader));
		if (!reader.isNext(close)) reader.expect(",");
	}
	return items;
}

function parseObject(reader: TokenReader): Expression {
	const entries: [Expression, Expression][] = [];
	while (!reader.take("}")) {
		const key = parseExpression(reader);
		reader.expect(":");
		entries.push([key, parseExpression(reader)]);
		if (!reader.isNext("}")) reader.expect(",");
	}
	return { kind: "object", entries };
}

function parseMembers(reader: TokenReader, start: Expression): Expression {
	let result = start;
	for (let count = 0; ; count++) {
		if (count > maxChainLength) throw reader.error(`more than ${maxChainLength} members in a row`);
		if (reader.take(".")) result = parseMember(reader, result);
		else if (reader.take("[")) result = parseSubscript(reader, result);
		else if (reader.isNext("(")) result = parseCall(reader, result);
		else return result;
	}
}

function parseMember(reader: TokenReader, object: Expression): Expression {
	const token = reader.next();
	if (token.kind === "integer") return { kind: "member", object, key: { kind: "constant", value: token.value } };
	if (token.kind !== "name") throw reader.error('a name is missing after "."');
	if (reader.isNext("(")) return { kind: "method", object, name: token.text, arguments: parseArguments(reader) };
	return toMember(object, { kind: "constant", value: token.text });
}

function toMember(object: Expression, key: Expression): Expression {
	if (object.kind === "path" && key.kind === "constant" && typeof key.value === "string") {
		return { ...object, keys: [...object.keys, key.value] };
	}
	return { kind: "member", object, key };
}

function parseSubscript(reader: TokenReader, object: Expression): Expression {
	const bounds: (Expression | undefined)[] = [];
	for (;;) {
		bounds.push(reader.isNext(":") || reader.isNext("]") ? undefined : parseExpression(reader));
		if (reader.take("]")) break;
		reader.expect(":");
	}
	const [key] = bounds;
	if (bounds.length > 3 || (bounds.length === 1 && key === undefined))
		throw reader.error("brackets hold an index or a slice of up to three parts");
	return bounds.length === 1 && key !== undefined ? toMember(object, key) : { kind: "slice", object, bounds };
}

function parseCall(reader: TokenReader, callee: Expression): Expression {
	if (callee.kind !== "path" || callee.keys.length > 0) throw reader.error("only a name can be called");
	return { kind: "call", name: callee.name, arguments: parseArguments(reader) };
}

function parseArguments(reader: TokenReader): ArgumentExpressions {
	const positional: Expression[] = [];
	const named: [string, Expression][] = [];
	reader.expect("(");
	while (!reader.take(")")) {
		if (reader.peek()?.kind === "name" && reader.isNext("=", 1)) {
			const name = reader.takeName();
			reader.expect("=");
			named.push([name, parseExpression(reader)]);
		} else positional.push(parseExpression(reader));
		if (!reader.isNext(")")) reader.expect(",");
	}
	return { positional, named };
}

/** Parses the filters and tests after a value. */
function parseFilters(reader: TokenReader, input: Expression): Expression {
	let result = input;
	for (let count = 0; ; count++) {
		if (count > maxChainLength) throw reader.error(`more than ${maxChainLength} filters in a row`);
		if (reader.take("|")) result = { kind: "filter", input: result, filter: parseFilterCall(reader) };
		else if (reader.take("is")) result = parseTest(reader, result);
		else return result;
	}
}

/** Parses a filter with its arguments. */
export function parseFilterCall(reader: TokenReader): FilterCall {
	const name = reader.takeName();
	return { name, arguments: reader.isNext("(") ? parseArguments(reader) : { positional: [], named: [] } };
}

/** Parses `is name`, `is not name(arguments)`, or `is name argument` with a single argument without brackets. */
function parseTest(reader: TokenReader, input: Expression): Expression {
	const negated = reader.take("not");
	const name = reader.takeName();
	if (reader.isNext("(")) return { kind: "test", input, test: { name, arguments: parseArguments(reader) }, isNegated: negated };
	const next = reader.peek();
	const hasArgument =
		next !== undefined && (next.kind !== "operator" || next.text === "[" || next.text === "{") && !reservedWords.has(next.text);
	const positional = hasArgument ? [reader.readNested(() => parsePrimary(reader))] : [];
	return { kind: "test", input, test: { name, arguments: { positional, named: [] } }, isNegated: negated };
}
