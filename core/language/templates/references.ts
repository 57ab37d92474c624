import { TemplateError } from "./errors.ts";
import { globalNames } from "./globals.ts";
import type { ArgumentExpressions, Expression, FilterCall, Statement } from "./syntax.ts";

export interface References {
	/** Variables the template takes from outside, in order of appearance. Loop variables and `set` names are none. */
	readonly names: readonly string[];
	/** Those with constant members, dotted: `svckv.system.a.b`. */
	readonly paths: readonly string[];
}

/**
 * What a template takes from outside. Also refuses what is nested too deeply to be evaluated.
 *
 * @param visit is called for every expression, before those inside it
 */
export function findReferences(
	statements: readonly Statement[],
	maximumDepth: number,
	visit?: (expression: Expression) => void,
): References {
	const walker = new ReferenceWalker(maximumDepth, visit);
	walker.statements(statements, new Known(undefined, globalNames));
	return { names: [...walker.names], paths: [...walker.paths] };
}

/** Names the template itself has given a value, on top of those outside a loop or block. */
class Known {
	readonly #names: Set<string>;
	readonly #outer: Known | undefined;

	constructor(outer: Known | undefined, names: Iterable<string> = []) {
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
	readonly paths = new Set<string>();
	readonly #maximumDepth: number;
	readonly #visit: ((expression: Expression) => void) | undefined;
	#depth = 0;

	constructor(maximumDepth: number, visit?: (expression: Expression) => void) {
		this.#maximumDepth = maximumDepth;
		this.#visit = visit;
	}

	statements(statements: readonly Statement[], known: Known): void {
		for (const statement of statements) this.#nested(() => this.#statement(statement, known));
	}

	#statement(statement: Statement, known: Known): void {
		switch (statement.kind) {
			case "text":
				return;
			case "output":
				return this.#expression(statement.expression, known);
			case "if":
				for (const [test, body] of statement.branches) {
					this.#expression(test, known);
					this.statements(body, known);
				}
				return this.statements(statement.otherwise, known);
			case "for":
				return this.#loop(statement, known);
			case "set":
				this.#expression(statement.value, known);
				for (const target of statement.targets) known.add(target);
				return;
			case "set-member":
				this.#expression(statement.value, known);
				return this.#name(statement.name, [], known);
			case "set-block":
				this.statements(statement.body, new Known(known));
				for (const filter of statement.filters) this.#filter(filter, known);
				known.add(statement.name);
		}
	}

	#loop(loop: Extract<Statement, { kind: "for" }>, known: Known): void {
		this.#expression(loop.iterable, known);
		const inner = new Known(known, [...loop.targets, "loop"]);
		if (loop.condition !== undefined) this.#expression(loop.condition, inner);
		this.statements(loop.body, inner);
		this.statements(loop.otherwise, new Known(known));
	}

	#expression(expression: Expression | undefined, known: Known): void {
		if (expression === undefined || expression.kind === "constant") return;
		this.#nested(() => {
			this.#visit?.(expression);
			for (const part of partsOf(expression)) this.#expression(part, known);
			if (expression.kind === "path") this.#name(expression.name, expression.keys, known);
			if (expression.kind === "filter") this.#filter(expression.filter, known);
			if (expression.kind === "test") this.#filter(expression.test, known);
			if (expression.kind === "call" || expression.kind === "method") this.#arguments(expression.arguments, known);
		});
	}

	#name(name: string, keys: readonly string[], known: Known): void {
		if (known.has(name)) return;
		this.names.add(name);
		if (keys.length > 0) this.paths.add([name, ...keys].join("."));
	}

	#filter(filter: FilterCall, known: Known): void {
		this.#arguments(filter.arguments, known);
	}

	#arguments({ positional, named }: ArgumentExpressions, known: Known): void {
		for (const argument of positional) this.#expression(argument, known);
		for (const [, argument] of named) this.#expression(argument, known);
	}

	#nested(walk: () => void): void {
		if (++this.#depth > this.#maximumDepth) throw new TemplateError(`the template is nested deeper than ${this.#maximumDepth} levels`);
		walk();
		this.#depth--;
	}
}

/** The expressions directly inside one, arguments left out. */
function partsOf(expression: Expression): readonly (Expression | undefined)[] {
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
