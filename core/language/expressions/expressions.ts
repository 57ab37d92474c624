import {
	type DialectNames,
	type ExpressionLanguage,
	type ExpressionScope,
	type Expressions,
	type ExpressionUse,
	isJsonObject,
	type JsonValue,
	SvcError,
} from "../../contract/index.ts";
import type { TemplateLimits } from "../templates/budget.ts";
import { type Datastore, type DatastoreAccess, noItems, renderWithLookups } from "../templates/datastore.ts";
import { TemplateError } from "../templates/errors.ts";
import { toText } from "../templates/python-text.ts";
import type { Value } from "../templates/values.ts";
import { TooManyTokens } from "../token-limit.ts";
import { asOneWork, WorkBudget, workLimits } from "../work-budget.ts";
import { compileExpression } from "./compile-expression.ts";
import type { CompiledExpression } from "./compiled-expression.ts";
import { contextFunctionNames } from "./context-functions.ts";
import { toExpressionError } from "./errors.ts";
import { Evaluation } from "./evaluation.ts";
import { maxExpressions, readText } from "./expression-scanner.ts";
import { toPlainValue } from "./plain-value.ts";
import { secondName } from "./renamed-variables.ts";
import { serviceFunctions } from "./service-functions.ts";
import { findUnknownCalls } from "./unknown-calls.ts";

export interface ExpressionParts {
	/** What `svckv` reads; without it there is no item. */
	readonly datastore?: DatastoreAccess;
	/** Other names of variables and functions: theirs to ours. Default none. */
	readonly names?: DialectNames;
}

/** For all expressions of a value together: results of many items are looked through, so more steps than a template has. */
const limits: TemplateLimits = { steps: 250_000, output: 1_048_576, depth: 100 };

const crowded = `a text holds more than ${maxExpressions} expressions`;
const mixed = "Expression with multiple types is not supported.";

/** Expressions that read a datastore. */
export function createExpressions({ datastore = noItems, names = {} }: ExpressionParts = {}): Expressions {
	return new ValueExpressions(datastore, names);
}

class ValueExpressions implements Expressions {
	readonly #datastore: DatastoreAccess;
	readonly #names: DialectNames;

	constructor(datastore: DatastoreAccess, names: DialectNames) {
		this.#datastore = datastore;
		this.#names = names;
	}

	find(value: JsonValue, language?: "jinja", functions?: readonly string[]): readonly ExpressionUse[] {
		return findTogether(value, language).map((found) => {
			const { calls, ...use } = found;
			if (functions === undefined) return toOwnNames(use, this.#names);
			const known = [...functions, ...contextFunctionNames, ...serviceFunctions.keys()];
			const unknown = findUnknownCalls(use.language, calls, { functions: known, names: this.#names });
			return { ...toOwnNames(use, this.#names), unknown };
		});
	}

	async evaluate(value: JsonValue, scope: ExpressionScope): Promise<JsonValue> {
		const first = findIn(value, scope.language, 0).next();
		if (first.done === true) return value;
		const work = new WorkBudget({ ...workLimits, steps: limits.steps });
		const render = (datastore: Datastore) => new ValueEvaluator(scope, datastore, this.#names).evaluate(value, 0);
		try {
			return await renderWithLookups(this.#datastore, render, work);
		} catch (error) {
			// What no single expression is to blame for.
			if (error instanceof TemplateError) throw toExpressionError(error, first.value.language, first.value.expression);
			throw error;
		}
	}
}

/** What an expression uses, as this service calls it. */
function toOwnNames(use: ExpressionUse, names: DialectNames): ExpressionUse {
	const own = (used: readonly string[]) => [...new Set(used.map((name) => secondName(names, name) ?? name))];
	return { ...use, variables: own(use.variables), functions: own(use.functions) };
}

type FoundUse = ExpressionUse & Pick<CompiledExpression, "calls">;

/** All expressions of a value, read within one budget: where they are too many, the last one says so. */
function findTogether(value: JsonValue, language: "jinja" | undefined): readonly FoundUse[] {
	const found: FoundUse[] = [];
	try {
		asOneWork(() => {
			for (const use of findIn(value, language, 0)) found.push(use);
		});
	} catch (error) {
		if (!(error instanceof TooManyTokens)) throw error;
		found.push(toUnread("", error.message));
	}
	return found;
}

function* findIn(value: JsonValue, language: "jinja" | undefined, depth: number): Generator<FoundUse, void> {
	assertDepth(depth);
	if (typeof value === "string") yield* findInText(value, language);
	else if (Array.isArray(value)) for (const element of value as readonly JsonValue[]) yield* findIn(element, language, depth + 1);
	else if (isJsonObject(value)) {
		for (const [key, member] of Object.entries(value)) {
			yield* findInText(key, language);
			yield* findIn(member, language, depth + 1);
		}
	}
}

function* findInText(text: string, language: "jinja" | undefined): Generator<FoundUse, void> {
	const read = readText(text, language);
	if (read.kind === "plain") return;
	if (read.kind === "mixed") yield toUnread(text, mixed);
	else if (read.kind === "crowded") yield toUnread(`${text.slice(0, 100)}…`, crowded);
	else if (read.kind === "template") yield toUse("jinja", text);
	else for (const part of read.parts) if (part.kind === "expression") yield toUse(read.language, part.expression);
}

function toUnread(expression: string, problem: string): FoundUse {
	return { language: "jinja", expression, problem, variables: [], functions: [], calls: [] };
}

function toUse(language: ExpressionLanguage, expression: string): FoundUse {
	const { problem, variables, functions, calls } = compileExpression(language, expression);
	return { language, expression, ...(problem !== undefined && { problem }), variables, functions, calls };
}

function assertDepth(depth: number): void {
	if (depth > limits.depth) throw new SvcError("SVC_INVALID", `a value with expressions is nested deeper than ${limits.depth} levels`);
}

/** Evaluates a value with all that is in it; what comes out is not looked at again. */
class ValueEvaluator {
	readonly #scope: ExpressionScope;
	readonly #evaluation: Evaluation;

	constructor(scope: ExpressionScope, datastore: Datastore, names: DialectNames) {
		this.#scope = scope;
		this.#evaluation = new Evaluation(scope, datastore, { limits, names });
	}

	evaluate(value: JsonValue, depth: number): JsonValue {
		assertDepth(depth);
		const { budget } = this.#evaluation;
		if (typeof value === "string") {
			return this.#text(value, (result) =>
				result !== null && this.#scope.keepsText === true ? toText(result, budget) : toPlainValue(result, budget),
			);
		}
		if (Array.isArray(value)) return (value as readonly JsonValue[]).map((element) => this.evaluate(element, depth + 1));
		if (!isJsonObject(value)) return value;
		return Object.fromEntries(Object.entries(value).map(([key, member]) => [this.#key(key), this.evaluate(member, depth + 1)]));
	}

	#key(key: string): string {
		return this.#text(key, (result) => {
			if (typeof result === "object" && result !== null) throw new TemplateError("the name of a member must be a text");
			return toText(result, this.#evaluation.budget);
		});
	}

	/** @param finish makes of a value, for a text that is one expression, what is kept */
	#text<T extends JsonValue>(text: string, finish: (value: Value) => T): T | string {
		const read = readText(text, this.#scope.language);
		if (read.kind === "plain") return text;
		if (read.kind === "mixed") throw new SvcError("SVC_INVALID", mixed, { facts: { language: "jinja", expression: text } });
		if (read.kind === "crowded") throw new SvcError("SVC_INVALID", crowded);
		if (read.kind === "template") return this.#run("jinja", text, finish);
		const { language, parts } = read;
		const [only] = parts;
		if (parts.length === 1 && only?.kind === "expression") return this.#run(language, only.expression, finish);
		const { budget } = this.#evaluation;
		let size = text.length;
		const texts = parts.map((part) => {
			if (part.kind === "text") return part.text;
			return this.#run(language, part.expression, (value) => {
				const result = toText(value, budget);
				size += result.length;
				budget.text(Math.max(size, result.length));
				return result;
			});
		});
		return texts.join("");
	}

	#run<T>(language: ExpressionLanguage, expression: string, finish: (value: Value) => T): T {
		try {
			return finish(compileExpression(language, expression).evaluate(this.#evaluation));
		} catch (error) {
			throw toExpressionError(error, language, expression);
		}
	}
}
