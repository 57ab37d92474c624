import type { ArithmeticOperator, ComparisonOperator } from "./operators.ts";
import { parseFilterCall, parseFilters, parsePrimary } from "./primary-parser.ts";
import type { Expression, FilterCall } from "./syntax.ts";
import type { TokenReader } from "./token-reader.ts";

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

/** Parses a filter with its arguments, as in the tag of a `set` block. */
export function parseFilter(reader: TokenReader): FilterCall {
	return parseFilterCall(reader, parseExpression);
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
		: parsePrimary(reader, parseExpression);
	return withFilters ? parseFilters(reader, value, parseExpression) : value;
}
