import { TemplateError } from "./errors.ts";
import { globalFunctions } from "./globals.ts";
import { Variables } from "./scope.ts";
import type { Expression, FilterCall, Statement } from "./syntax.ts";

/** Variables that a template reads from its scope. */
export interface TemplateReferences {
	/** Names of these variables, in order of appearance. Loop variables and `set` names are not included. */
	readonly names: readonly string[];
}

/**
 * Returns the variables that a template reads from its scope. Throws `TemplateError` if the template is nested too deeply.
 *
 * @param visit called for every expression, before the expressions inside it
 */
export function findReferences(
	statements: readonly Statement[],
	maximumDepth: number,
	visit?: (expression: Expression) => void,
): TemplateReferences {
	const walker = new ReferenceWalker(maximumDepth, visit);
	walker.walkStatements(statements, withNames(new Variables(), globalFunctions.keys()));
	return { names: [...walker.names] };
}

/** Names that the template itself defines. */
type NameScope = Variables<true>;

function withNames(scope: NameScope, names: Iterable<string>): NameScope {
	for (const name of names) scope.set(name, true);
	return scope;
}

class ReferenceWalker {
	readonly names = new Set<string>();
	readonly #maxDepth: number;
	readonly #visit: ((expression: Expression) => void) | undefined;
	#depth = 0;

	constructor(maximumDepth: number, visit?: (expression: Expression) => void) {
		this.#maxDepth = maximumDepth;
		this.#visit = visit;
	}

	walkStatements(statements: readonly Statement[], scope: NameScope): void {
		for (const statement of statements) this.#withDepth(() => this.#walkStatement(statement, scope));
	}

	#walkStatement(statement: Statement, scope: NameScope): void {
		switch (statement.kind) {
			case "text":
				return;
			case "output":
				return this.#walkExpression(statement.expression, scope);
			case "if":
				for (const [test, body] of statement.branches) {
					this.#walkExpression(test, scope);
					this.walkStatements(body, scope);
				}
				return this.walkStatements(statement.otherwise, scope);
			case "for":
				return this.#walkLoop(statement, scope);
			case "set":
				this.#walkExpression(statement.value, scope);
				for (const target of statement.targets) scope.set(target, true);
				return;
			case "set-member":
				this.#walkExpression(statement.value, scope);
				return this.#addName(statement.name, scope);
			case "set-block":
				this.walkStatements(statement.body, new Variables(scope));
				for (const filter of statement.filters) this.#walkAll(argumentsOf(filter), scope);
				scope.set(statement.name, true);
		}
	}

	#walkLoop(loop: Extract<Statement, { kind: "for" }>, scope: NameScope): void {
		this.#walkExpression(loop.iterable, scope);
		const innerScope = withNames(new Variables(scope), [...loop.targets, "loop"]);
		if (loop.condition !== undefined) this.#walkExpression(loop.condition, innerScope);
		this.walkStatements(loop.body, innerScope);
		this.walkStatements(loop.otherwise, new Variables(scope));
	}

	#walkExpression(expression: Expression | undefined, scope: NameScope): void {
		if (expression === undefined || expression.kind === "constant") return;
		this.#withDepth(() => {
			this.#visit?.(expression);
			this.#walkAll(operandsOf(expression), scope);
			if (expression.kind === "path") this.#addName(expression.name, scope);
		});
	}

	#addName(name: string, scope: NameScope): void {
		if (scope.get(name) === undefined) this.names.add(name);
	}

	#walkAll(expressions: readonly (Expression | undefined)[], scope: NameScope): void {
		for (const expression of expressions) this.#walkExpression(expression, scope);
	}

	#withDepth(walk: () => void): void {
		if (++this.#depth > this.#maxDepth) throw new TemplateError(`the template is nested deeper than ${this.#maxDepth} levels`);
		walk();
		this.#depth--;
	}
}

/** Returns the direct subexpressions of an expression. */
function operandsOf(expression: Expression): readonly (Expression | undefined)[] {
	switch (expression.kind) {
		case "list":
			return expression.items;
		case "object":
			return expression.entries.flat();
		case "member":
			return [expression.object, expression.key];
		case "slice":
			return [expression.object, ...expression.bounds];
		case "call":
			return argumentsOf(expression);
		case "method":
			return [expression.object, ...argumentsOf(expression)];
		case "filter":
			return [expression.input, ...argumentsOf(expression.filter)];
		case "test":
			return [expression.input, ...argumentsOf(expression.test)];
		case "sign":
		case "not":
			return [expression.operand];
		case "and":
		case "or":
			return expression.operands;
		case "arithmetic":
		case "comparison":
			return [expression.first, ...expression.rest.map(([, operand]) => operand)];
		case "conditional":
			return [expression.test, expression.then, expression.otherwise];
		default:
			return [];
	}
}

function argumentsOf({ arguments: { positional, named } }: Pick<FilterCall, "arguments">): readonly Expression[] {
	return [...positional, ...named.map(([, argument]) => argument)];
}
