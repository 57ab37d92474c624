import {
	type DialectNames,
	type ExpressionScope,
	isJsonObject,
	type JsonObject,
	type JsonValue,
	maxLargeNumbers,
	parseJson,
} from "../../contract/index.ts";
import { Arguments } from "../templates/arguments.ts";
import { Budget, type TemplateLimits } from "../templates/budget.ts";
import { type Datastore, DatastoreReference } from "../templates/datastore.ts";
import { Evaluator as TemplateEvaluator } from "../templates/evaluator.ts";
import type { ScopeFunction, TemplateScope } from "../templates/scope.ts";
import { demand } from "../templates/values.ts";
import { type OutsideFunction, Evaluator as YaqlEvaluator } from "../yaql/evaluator.ts";
import type { YaqlValue } from "../yaql/values.ts";
import { ContextFunctions } from "./context-functions.ts";
import { secondName } from "./renamed-variables.ts";

/** How much reading a text as JSON costs more than looking at it. */
const readingCharactersPerStep = 32;

/** What the expressions of one value have together: their functions, what they may use, what they have read. */
export class Evaluation {
	readonly budget: Budget;
	readonly jinja: TemplateEvaluator;
	readonly yaql: YaqlEvaluator;
	readonly #jsonTexts = new Map<string, JsonValue | undefined>();

	/** @param names other names of variables and functions: theirs to ours */
	constructor(
		scope: ExpressionScope,
		datastore: Datastore,
		{ limits, names }: { readonly limits: TemplateLimits; readonly names: DialectNames },
	) {
		this.budget = new Budget(limits, "expression");
		const functions = new ContextFunctions(scope, {
			names,
			datastore,
			budget: this.budget,
			filter: (...call) => this.jinja.applyFilter(...call),
		});
		const functionOf = (name: string): ScopeFunction | undefined => functions.get(name);
		const fromJsonText = (text: string) => this.#fromJsonText(text);
		this.jinja = new TemplateEvaluator(
			{ lookup: toLookup({ values: scope.names, names }, datastore), datastore, functionOf, fromJsonText },
			this.budget,
		);
		const outside = (name: string): OutsideFunction | undefined => {
			const called = functionOf(name);
			if (called === undefined) return undefined;
			return (positional, named) => demand(called(new Arguments(`"${name}"`, positional, named))) as YaqlValue;
		};
		this.yaql = new YaqlEvaluator({ function: outside, fromJsonText }, this.budget);
	}

	/** What a text holds that is JSON of an object or a list. */
	#fromJsonText(text: string): JsonValue | undefined {
		if (!/^\s*[{[]/.test(text)) return undefined;
		if (!this.#jsonTexts.has(text)) {
			this.budget.step(text.length / readingCharactersPerStep);
			this.#jsonTexts.set(text, parse(text));
		}
		return this.#jsonTexts.get(text);
	}
}

/** Variables by their plain names; without any there are none. */
function toLookup(
	{ values, names }: { readonly values: JsonObject | undefined; readonly names: DialectNames },
	datastore: Datastore,
): TemplateScope["lookup"] {
	if (values === undefined) return () => undefined;
	const items: ReadonlyMap<string, DatastoreReference> = new Map([
		["svckv", new DatastoreReference(datastore, ["system", "user"])],
		["system", new DatastoreReference(datastore, ["system"], ["system"])],
	]);
	const find = (name: string) => (Object.hasOwn(values, name) ? values[name] : items.get(name));
	return (name) => {
		const value = find(name);
		// A variable that is null is one.
		return value === undefined ? find(secondName(names, name) ?? "") : value;
	};
}

function parse(text: string): JsonValue | undefined {
	try {
		const value = parseJson(text, maxLargeNumbers);
		return isJsonObject(value) || Array.isArray(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
