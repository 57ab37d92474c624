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
import { requireDefined } from "../templates/values.ts";
import { type HostFunction, Evaluator as YaqlEvaluator } from "../yaql/evaluator.ts";
import type { YaqlValue } from "../yaql/values.ts";
import { resolveAlias } from "./name-aliases.ts";
import { SharedFunctions } from "./shared-functions.ts";

/** Characters of JSON whose parsing counts as one step. */
const jsonCharactersPerStep = 32;

/** State that all expressions of one value share: their functions, their budget, and the JSON strings that have been parsed. */
export class Evaluation {
	readonly budget: Budget;
	readonly jinja: TemplateEvaluator;
	readonly yaql: YaqlEvaluator;
	readonly #jsonTexts = new Map<string, JsonValue | undefined>();

	/** @param names aliases of variables and functions, mapped to this service's names */
	constructor(
		scope: ExpressionScope,
		datastore: Datastore,
		{ limits, names }: { readonly limits: TemplateLimits; readonly names: DialectNames },
	) {
		this.budget = new Budget(limits, "expression");
		const functions = new SharedFunctions(scope, {
			names,
			datastore,
			budget: this.budget,
			applyFilter: (...call) => this.jinja.applyFilter(...call),
		});
		const functionOf = (name: string): ScopeFunction | undefined => functions.get(name);
		const fromJsonText = (text: string) => this.#fromJsonText(text);
		this.jinja = new TemplateEvaluator(
			{ lookup: toLookup({ values: scope.names, names }, datastore), datastore, findFunction: functionOf, fromJsonText },
			this.budget,
		);
		const outsideFunction = (name: string): HostFunction | undefined => {
			const scopeFunction = functionOf(name);
			if (scopeFunction === undefined) return undefined;
			return (positional, named) => requireDefined(scopeFunction(new Arguments(`"${name}"`, positional, named))) as YaqlValue;
		};
		this.yaql = new YaqlEvaluator({ findFunction: outsideFunction, fromJsonText }, this.budget);
	}

	/** Returns the object or list that a JSON string contains; undefined for any other string. */
	#fromJsonText(text: string): JsonValue | undefined {
		if (!/^\s*[{[]/.test(text)) return undefined;
		if (!this.#jsonTexts.has(text)) {
			this.budget.spendSteps(text.length / jsonCharactersPerStep);
			this.#jsonTexts.set(text, parseContainer(text));
		}
		return this.#jsonTexts.get(text);
	}
}

/** Returns a lookup of variables by their plain names. Without `values` the lookup finds no variables. */
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
		// Only undefined means that there is no variable: null is a value.
		return value === undefined ? find(resolveAlias(names, name) ?? "") : value;
	};
}

function parseContainer(text: string): JsonValue | undefined {
	try {
		const value = parseJson(text, maxLargeNumbers);
		return isJsonObject(value) || Array.isArray(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
