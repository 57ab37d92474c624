import {
	type DialectNames,
	type ExpressionFunction,
	type ExpressionScope,
	isSvcError,
	type JsonObject,
	type JsonValue,
	toErrorMessage,
} from "../../contract/index.ts";
import type { Arguments } from "../templates/arguments.ts";
import type { Budget } from "../templates/budget.ts";
import type { Datastore } from "../templates/datastore.ts";
import { TemplateError } from "../templates/errors.ts";
import type { ScopeFunction } from "../templates/scope.ts";
import { isList, isObject, toPlainValue, type Value } from "../templates/values.ts";
import { FunctionError } from "./errors.ts";
import { filterFunctions } from "./filter-functions.ts";
import { resolveAlias, withAliases } from "./name-aliases.ts";

export interface SharedFunctionDependencies {
	readonly datastore: Datastore;
	/** Aliases of variables and functions, mapped to this service's names. */
	readonly names: DialectNames;
	readonly budget: Budget;
	/** Applies a template filter. */
	applyFilter(name: string, input: Value, given: Arguments): Value;
}

/** Returns true for variables of the service that expressions cannot read. */
const isInternalVariable = (name: string) => name.startsWith("__");

/** Names of the functions that need the variables, the datastore or both languages. */
export const sharedFunctionNames = ["ctx", "svckv", "json", "zip"] as const;

/** Functions that expressions of both languages can call, in addition to the functions of the language itself. */
export class SharedFunctions {
	readonly #scope: ExpressionScope;
	readonly #dependencies: SharedFunctionDependencies;
	readonly #builtIns: ReadonlyMap<string, ScopeFunction>;
	#cachedVariables: JsonObject | undefined;

	constructor(scope: ExpressionScope, dependencies: SharedFunctionDependencies) {
		this.#scope = scope;
		this.#dependencies = dependencies;
		const builtIns: Readonly<Record<(typeof sharedFunctionNames)[number], ScopeFunction>> = {
			ctx: (args) => this.#readVariable(args),
			svckv: (args) => this.#readItem(args),
			json: (args) => this.#json(args),
			zip: (args) => this.#zip(args),
		};
		this.#builtIns = new Map(Object.entries(builtIns));
	}

	get(name: string): ScopeFunction | undefined {
		return this.#find(name) ?? this.#find(resolveAlias(this.#dependencies.names, name) ?? "");
	}

	#find(name: string): ScopeFunction | undefined {
		const { functions } = this.#scope;
		const scopeFunction = functions !== undefined && Object.hasOwn(functions, name) ? functions[name] : undefined;
		if (scopeFunction !== undefined) return (call) => this.#callScopeFunction(scopeFunction, call);
		const filter = filterFunctions.get(name);
		if (filter === undefined) return this.#builtIns.get(name);
		return (call) => this.#dependencies.applyFilter(filter, call.required(0, "value"), call.after(1, `"${name}"`));
	}

	#callScopeFunction(scopeFunction: ExpressionFunction, { positional, named }: Arguments): Value {
		const { budget } = this.#dependencies;
		const values = positional.map((value) => toPlainValue(value, budget));
		const byName = Object.fromEntries([...named].map(([name, value]): [string, JsonValue] => [name, toPlainValue(value, budget)]));
		budget.spendSteps();
		try {
			return scopeFunction(values, byName);
		} catch (error) {
			if (error instanceof TemplateError || isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			const name = error instanceof Error && !/^(?:Svc)?Error$/.test(error.name) ? error.name : "ExpressionEvaluationException";
			throw new FunctionError(name, toErrorMessage(error), error);
		}
	}

	#readVariable(args: Arguments): Value {
		if (args.positional.length + args.named.size > 1) throw args.error("takes at most one name");
		const key = args.get(0, "key") ?? null;
		if (key === null || key === "") return this.#visibleVariables();
		if (typeof key !== "string") throw args.error("needs a string as the name of a variable");
		const { variables } = this.#scope;
		if (isInternalVariable(key))
			throw new FunctionError("VariableInaccessibleError", `The variable "${key}" is for internal use and inaccessible.`);
		const resolvedName = Object.hasOwn(variables, key) ? key : (resolveAlias(this.#dependencies.names, key) ?? key);
		if (!Object.hasOwn(variables, resolvedName)) throw new FunctionError("VariableUndefinedError", `The variable "${key}" is undefined.`);
		return variables[resolvedName] as JsonValue;
	}

	#visibleVariables(): JsonObject {
		const { variables } = this.#scope;
		if (this.#cachedVariables === undefined) {
			const names = Object.keys(variables);
			const visible = names.some(isInternalVariable)
				? Object.fromEntries(Object.entries(variables).filter(([name]) => !isInternalVariable(name)))
				: variables;
			this.#cachedVariables = withAliases(visible, this.#dependencies.names);
		}
		return this.#cachedVariables;
	}

	/** Returns a datastore item: a system item for a key such as `system.x`, otherwise an item of the user. */
	#readItem(args: Arguments): Value {
		const key = args.text(0, "key");
		const { datastore } = this.#dependencies;
		const [, systemKey] = /^system\.([^]*)$/.exec(key) ?? [];
		const text = systemKey === undefined ? datastore.find("user", key) : datastore.find("system", systemKey);
		if (text === undefined) {
			const fallback = args.get(2, "default");
			if (fallback !== undefined) return fallback;
			throw new FunctionError("ExpressionEvaluationException", `The key "${key}" does not exist in the datastore.`);
		}
		// An empty string has nothing to decrypt. It is also the value of an item that the datastore has not read yet.
		return text !== "" && args.flag(1, "decrypt", false) ? datastore.decrypt(text) : text;
	}

	#json(args: Arguments): Value {
		const value = args.required(0, "value");
		if (isObject(value)) return value;
		if (typeof value !== "string") throw new FunctionError("TypeError", "Given object is not typeof string.");
		return this.#dependencies.applyFilter("from_json_string", value, args.after(1, '"json"'));
	}

	/** Returns rows with one element of each list. Lists that are shorter than the longest one are padded. */
	#zip(args: Arguments): Value {
		const lists = args.positional.map((list) => list ?? []);
		const [single] = lists;
		if (lists.length === 1 && single !== undefined) return single;
		const columns = lists.filter((list) => isList(list));
		if (columns.length < lists.length) throw args.error("needs lists");
		const length = Math.max(0, ...columns.map((column) => column.length));
		this.#dependencies.budget.spendSteps(length * columns.length);
		const padding = args.named.get("pad") ?? null;
		return Array.from({ length }, (_, index) => columns.map((column) => (index < column.length ? (column[index] as Value) : padding)));
	}
}
