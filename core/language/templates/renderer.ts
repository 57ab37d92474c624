import type { Budget } from "./budget.ts";
import { TemplateError } from "./errors.ts";
import type { Evaluator } from "./evaluator.ts";
import { toPythonText } from "./python-text.ts";
import { Variables } from "./scope.ts";
import type { FilterCall, Statement } from "./syntax.ts";
import { elementsOf, isList, isTrue, Namespace, type Value } from "./values.ts";

type Statements = readonly Statement[];

/** Renders statements to text. */
export class Renderer {
	readonly #evaluator: Evaluator;
	readonly #budget: Budget;

	constructor(evaluator: Evaluator) {
		this.#evaluator = evaluator;
		this.#budget = evaluator.budget;
	}

	render(statements: Statements, variables: Variables): string {
		const output = new Output(this.#budget);
		this.#renderStatements(statements, variables, output);
		return output.text();
	}

	#renderStatements(statements: Statements, variables: Variables, output: Output): void {
		for (const statement of statements) {
			this.#budget.spendSteps();
			this.#renderStatement(statement, variables, output);
		}
	}

	#renderStatement(statement: Statement, variables: Variables, output: Output): void {
		switch (statement.kind) {
			case "text":
				return output.add(statement.text);
			case "output":
				return output.add(toPythonText(this.#evaluator.evaluate(statement.expression, variables), this.#budget));
			case "if": {
				const branch = statement.branches.find(([test]) => isTrue(this.#evaluator.evaluate(test, variables)));
				return this.#renderStatements(branch?.[1] ?? statement.otherwise, variables, output);
			}
			case "for":
				return this.#renderLoop(statement, variables, output);
			case "set":
				return assign(statement.targets, this.#evaluator.evaluate(statement.value, variables), variables);
			case "set-member":
				return this.#setMember(statement, variables);
			case "set-block":
				return variables.set(statement.name, this.#renderBlock(statement.body, statement.filters, variables));
		}
	}

	#renderLoop(loop: Extract<Statement, { kind: "for" }>, variables: Variables, output: Output): void {
		let elements = elementsOf(this.#evaluator.evaluate(loop.iterable, variables), this.#budget);
		const { condition } = loop;
		if (condition !== undefined) {
			elements = elements.filter((element) => {
				const innerVariables = new Variables(variables);
				assign(loop.targets, element, innerVariables);
				return isTrue(this.#evaluator.evaluate(condition, innerVariables));
			});
		}
		if (elements.length === 0) return this.#renderStatements(loop.otherwise, variables, output);
		const outerLoop = variables.get("loop");
		const depth = typeof outerLoop === "object" && outerLoop !== null && "depth" in outerLoop ? Number(outerLoop["depth"]) + 1 : 1;
		for (const [index, element] of elements.entries()) {
			this.#budget.spendSteps();
			const innerVariables = new Variables(variables);
			assign(loop.targets, element, innerVariables);
			innerVariables.set("loop", loopState(elements, index, depth));
			this.#renderStatements(loop.body, innerVariables, output);
		}
	}

	#setMember({ name, member, value }: Extract<Statement, { kind: "set-member" }>, variables: Variables): void {
		const namespace = variables.get(name);
		if (!(namespace instanceof Namespace)) throw new TemplateError(`members can be set only on a "namespace" object, not on "${name}"`);
		namespace.members.set(member, this.#evaluator.evaluate(value, variables));
	}

	#renderBlock(body: Statements, filters: readonly FilterCall[], variables: Variables): Value {
		let value: Value = this.render(body, new Variables(variables));
		for (const { name, arguments: argumentExpressions } of filters) {
			value = this.#evaluator.applyFilter(name, value, this.#evaluator.callArguments(`filter "${name}"`, argumentExpressions, variables));
		}
		return value;
	}
}

/** Output that has been rendered so far. */
class Output {
	readonly #budget: Budget;
	readonly #parts: string[] = [];
	#length = 0;

	constructor(budget: Budget) {
		this.#budget = budget;
	}

	add(text: string): void {
		this.#length += text.length;
		// The total length is checked against the limit, but only the new characters cost steps.
		if (this.#length > this.#budget.limits.output) this.#budget.spendText(this.#length);
		this.#budget.spendText(text.length);
		this.#parts.push(text);
	}

	text(): string {
		return this.#parts.join("");
	}
}

function assign(targets: readonly string[], value: Value, variables: Variables): void {
	const [onlyTarget] = targets;
	if (targets.length === 1 && onlyTarget !== undefined) return variables.set(onlyTarget, value);
	if (!isList(value) || value.length !== targets.length)
		throw new TemplateError(`a list of ${targets.length} values is required for ${targets.join(", ")}`);
	for (const [index, target] of targets.entries()) variables.set(target, value[index] as Value);
}

function loopState(elements: readonly Value[], index: number, depth: number): Value {
	const { length } = elements;
	const state: Record<string, Value> = {
		index: index + 1,
		index0: index,
		revindex: length - index,
		revindex0: length - index - 1,
		first: index === 0,
		last: index === length - 1,
		length,
		depth,
		depth0: depth - 1,
	};
	if (index > 0) state["previtem"] = elements[index - 1] as Value;
	if (index < length - 1) state["nextitem"] = elements[index + 1] as Value;
	return state;
}
