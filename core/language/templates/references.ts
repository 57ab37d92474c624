import { TemplateError } from "./errors.ts";
import { globalNames } from "./globals.ts";
import type { ArgumentExpressions, Expression, FilterCall, Statement } from "./syntax.ts";

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
	walker.walkStatements(statements, new NameScope(undefined, globalNames));
	return { names: [...walker.names] };
}

/** Names that the template itself defines, in one block and its enclosing blocks. */
class NameScope {
	readonly #names: Set<string>;
	readonly #outer: NameScope | undefined;

	constructor(outer: NameScope | undefined, names: Iterable<string> = []) {
		this.#outer = outer;
		this.#names = new Set(names);
	}

	has(name: string): boolean {
		return this.#names.has(name) || this.#outer?.has(name) === true;
	}

	add(name: string): void {
		this.#names.add(name);
	}
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
				for (const target of statement.targets) scope.add(target);
				return;
			case "set-member":
				this.#walkExpression(statement.value, scope);
				return this.#addName(statement.name, scope);
			case "set-block":
				this.walkStatements(statement.body, new NameScope(scope));
				for (const filter of statement.filters) this.#walkFilter(filter, scope);
				scope.add(statement.name);
		}
	}

	#walkLoop(loop: Extract<Statement, { kind: "for" }>, scope: NameScope): void {
		this.#walkExpression(loop.iterable, scope);
		const innerScope = new NameScope(scope, [...loop.targets, "loop"]);
		if (loop.condition !== undefined) this.#walkExpression(loop.condition, innerScope);
		this.walkStatements(loop.body, innerScope);
		this.walkStatements(loop.otherwise, new NameScope(scope));
	}

	#walkExpression(expression: Expression | undefined, scope: NameScope): void {
		if (expression === undefined || expression.kind === "constant") return;
		this.#withDepth(() => {
			this.#visit?.(expression);
			for (const part of operandsOf(expression)) this.#walkExpression(part, scope);
			if (expression.kind === "path") this.#addName(expression.name, scope);
			if (expression.kind === "filter") this.#walkFilter(expression.filter, scope);
			if (expression.kind === "test") this.#walkFilter(expression.test, scope);
			if (expression.kind === "call" || expression.kind === "method") this.#walkArguments(expression.arguments, scope);
		});
	}

	#addName(name: string, scope: NameScope): void {
		if (!scope.has(name)) this.names.add(name);
	}

	#walkFilter(filter: FilterCall, scope: NameScope): void {
		this.#walkArguments(filter.arguments, scope);
	}

	#walkArguments({ positional, named }: ArgumentExpressions, scope: NameScope): void {
		for (const argument of positional) this.#walkExpression(argument, scope);
		for (const [, argument] of named) this.#walkExpression(argument, scope);
	}

	#withDepth(walk: () => void): void {
		if (++this.#depth > this.#maxDepth) throw new TemplateError(`the template is nested deeper than ${this.#maxDepth} levels`);
		walk();
		this.#depth--;
	}
}

/** Returns the direct subexpressions of an expression, without its arguments. */
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
		case "method":
			return [expression.object];
		case "filter":
		case "test":
			return [expression.input];
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
