import {
	type DialectNames,
	type ExpressionLanguage,
	type ExpressionScope,
	type Expressions,
	type FoundExpression,
	isJsonObject,
	type JsonValue,
	SvcError,
} from "../../contract/index.ts";
import { TooManyTokensError } from "../lexical-token-limit.ts";
import type { TemplateLimits } from "../templates/budget.ts";
import { type Datastore, type DatastoreAccess, emptyDatastoreAccess, renderWithLookups } from "../templates/datastore.ts";
import { TemplateError } from "../templates/errors.ts";
import { toPythonText } from "../templates/python-text.ts";
import { toPlainValue, type Value } from "../templates/values.ts";
import { WorkBudget, withWorkBudget, workLimits } from "../work-budget.ts";
import { compileExpression } from "./compile-expression.ts";
import type { CompiledExpression } from "./compiled-expression.ts";
import { toExpressionError } from "./errors.ts";
import { Evaluation } from "./evaluation.ts";
import { maxExpressions, scanText } from "./expression-scanner.ts";
import { filterFunctions } from "./filter-functions.ts";
import { resolveAlias } from "./name-aliases.ts";
import { sharedFunctionNames } from "./shared-functions.ts";
import { findUnknownCalls } from "./unknown-calls.ts";

export interface ExpressionOptions {
	/** Datastore that `svckv` reads. Default: a datastore without items. */
	readonly datastore?: DatastoreAccess;
	/** Aliases of variables and functions, mapped to this service's names. Default: none. */
	readonly names?: DialectNames;
}

/**
 * Limits of all expressions of one value together. They have more steps than a template, because a value may search the results of many
 * items.
 */
const evaluationLimits: TemplateLimits = { steps: 250_000, output: 1_048_576, depth: 100 };

const crowdedMessage = `a string holds more than ${maxExpressions} expressions`;
const mixedMessage = "Expression with multiple types is not supported.";

/** Creates the evaluator of expressions in values. */
export function createExpressions({ datastore = emptyDatastoreAccess, names = {} }: ExpressionOptions = {}): Expressions {
	return new ValueExpressions(datastore, names);
}

class ValueExpressions implements Expressions {
	readonly #datastore: DatastoreAccess;
	readonly #names: DialectNames;

	constructor(datastore: DatastoreAccess, names: DialectNames) {
		this.#datastore = datastore;
		this.#names = names;
	}

	find(value: JsonValue, language?: "jinja", functions?: readonly string[]): readonly FoundExpression[] {
		return findWithinBudget(value, language).map((useWithCalls) => {
			const { calls, ...use } = useWithCalls;
			if (functions === undefined) return toOwnNames(use, this.#names);
			const knownFunctions = [...functions, ...sharedFunctionNames, ...filterFunctions.keys()];
			const unknownCalls = findUnknownCalls(use.language, calls, { functions: knownFunctions, names: this.#names });
			return { ...toOwnNames(use, this.#names), unknown: unknownCalls };
		});
	}

	async evaluate(value: JsonValue, scope: ExpressionScope): Promise<JsonValue> {
		const first = findIn(value, scope.language, 0).next();
		if (first.done === true) return value;
		const work = new WorkBudget({ ...workLimits, steps: evaluationLimits.steps });
		const render = (datastore: Datastore) => new ValueEvaluator(scope, datastore, this.#names).evaluate(value, 0);
		try {
			return await renderWithLookups(this.#datastore, render, work);
		} catch (error) {
			// The error of the whole value is attributed to its first expression.
			if (error instanceof TemplateError) throw toExpressionError(error, first.value.language, first.value.expression);
			throw error;
		}
	}
}

/** Returns the use of an expression with variables and functions under this service's names. */
function toOwnNames(use: FoundExpression, names: DialectNames): FoundExpression {
	const toOwn = (used: readonly string[]) => [...new Set(used.map((name) => resolveAlias(names, name) ?? name))];
	return { ...use, variables: toOwn(use.variables), functions: toOwn(use.functions) };
}

type UseWithCalls = FoundExpression & Pick<CompiledExpression, "calls">;

/** Returns all expressions of a value, parsed within one budget. If they have too many tokens, the last entry reports the problem. */
function findWithinBudget(value: JsonValue, language: "jinja" | undefined): readonly UseWithCalls[] {
	const uses: UseWithCalls[] = [];
	try {
		withWorkBudget(() => {
			for (const use of findIn(value, language, 0)) uses.push(use);
		});
	} catch (error) {
		if (!(error instanceof TooManyTokensError)) throw error;
		uses.push(toUnreadableUse("", error.message));
	}
	return uses;
}

function* findIn(value: JsonValue, language: "jinja" | undefined, depth: number): Generator<UseWithCalls, void> {
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

function* findInText(text: string, language: "jinja" | undefined): Generator<UseWithCalls, void> {
	const scanned = scanText(text, language);
	if (scanned.kind === "plain") return;
	if (scanned.kind === "mixed") yield toUnreadableUse(text, mixedMessage);
	else if (scanned.kind === "crowded") yield toUnreadableUse(`${text.slice(0, 100)}…`, crowdedMessage);
	else for (const part of scanned.parts) if (part.kind === "expression") yield toUse(scanned.language, part.expression);
}

function toUnreadableUse(expression: string, problem: string): UseWithCalls {
	return { language: "jinja", expression, problem, variables: [], functions: [], calls: [] };
}

function toUse(language: ExpressionLanguage, expression: string): UseWithCalls {
	const { evaluate: _evaluate, ...uses } = compileExpression(language, expression);
	return { language, expression, ...uses };
}

function assertDepth(depth: number): void {
	if (depth > evaluationLimits.depth)
		throw new SvcError("SVC_INVALID", `a value with expressions is nested deeper than ${evaluationLimits.depth} levels`);
}

/** Evaluates a value with all its members. Results are not evaluated again. */
class ValueEvaluator {
	readonly #scope: ExpressionScope;
	readonly #evaluation: Evaluation;

	constructor(scope: ExpressionScope, datastore: Datastore, names: DialectNames) {
		this.#scope = scope;
		this.#evaluation = new Evaluation(scope, datastore, { limits: evaluationLimits, names });
	}

	evaluate(value: JsonValue, depth: number): JsonValue {
		assertDepth(depth);
		const { budget } = this.#evaluation;
		if (typeof value === "string") {
			return this.#evaluateText(value, (result) =>
				result !== null && this.#scope.keepsText === true ? toPythonText(result, budget) : toPlainValue(result, budget),
			);
		}
		if (Array.isArray(value)) return (value as readonly JsonValue[]).map((element) => this.evaluate(element, depth + 1));
		if (!isJsonObject(value)) return value;
		return Object.fromEntries(Object.entries(value).map(([key, member]) => [this.#evaluateKey(key), this.evaluate(member, depth + 1)]));
	}

	#evaluateKey(key: string): string {
		return this.#evaluateText(key, (result) => {
			if (typeof result === "object" && result !== null) throw new TemplateError("the key of an object must be a string");
			return toPythonText(result, this.#evaluation.budget);
		});
	}

	/** @param finish converts the result of a string that consists of a single expression */
	#evaluateText<T extends JsonValue>(text: string, finish: (value: Value) => T): T | string {
		const scanned = scanText(text, this.#scope.language);
		if (scanned.kind === "plain") return text;
		if (scanned.kind === "mixed") throw new SvcError("SVC_INVALID", mixedMessage, { facts: { language: "jinja", expression: text } });
		if (scanned.kind === "crowded") throw new SvcError("SVC_INVALID", crowdedMessage);
		const { language, parts } = scanned;
		const [onlyPart] = parts;
		if (parts.length === 1 && onlyPart?.kind === "expression") return this.#evaluateExpression(language, onlyPart.expression, finish);
		const { budget } = this.#evaluation;
		let size = text.length;
		const texts = parts.map((part) => {
			if (part.kind === "text") return part.text;
			return this.#evaluateExpression(language, part.expression, (value) => {
				const result = toPythonText(value, budget);
				size += result.length;
				budget.spendText(Math.max(size, result.length));
				return result;
			});
		});
		return texts.join("");
	}

	#evaluateExpression<T>(language: ExpressionLanguage, expression: string, finish: (value: Value) => T): T {
		try {
			return finish(compileExpression(language, expression).evaluate(this.#evaluation));
		} catch (error) {
			throw toExpressionError(error, language, expression);
		}
	}
}
