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
import { isList, isObject, type Value } from "../templates/values.ts";
import { FunctionError } from "./errors.ts";
import { toPlainValue } from "./plain-value.ts";
import { secondName, withSecondNames } from "./renamed-variables.ts";
import { serviceFunctions } from "./service-functions.ts";

export interface ContextFunctionParts {
	readonly datastore: Datastore;
	/** Other names of variables and functions: theirs to ours. */
	readonly names: DialectNames;
	readonly budget: Budget;
	/** Applies a filter of templates. */
	filter(name: string, input: Value, given: Arguments): Value;
}

/** Names of variables that nobody reads. */
const isPrivate = (name: string) => name.startsWith("__");

/** Functions that need the variables, the datastore or both languages. */
export const contextFunctionNames = ["ctx", "svckv", "json", "zip"] as const;

/** The functions that expressions of both languages call, besides those of their language. */
export class ContextFunctions {
	readonly #scope: ExpressionScope;
	readonly #parts: ContextFunctionParts;
	readonly #own: ReadonlyMap<string, ScopeFunction>;
	#variables: JsonObject | undefined;

	constructor(scope: ExpressionScope, parts: ContextFunctionParts) {
		this.#scope = scope;
		this.#parts = parts;
		const own: Readonly<Record<(typeof contextFunctionNames)[number], ScopeFunction>> = {
			ctx: (given) => this.#context(given),
			svckv: (given) => this.#item(given),
			json: (given) => this.#json(given),
			zip: (given) => this.#zip(given),
		};
		this.#own = new Map(Object.entries(own));
	}

	get(name: string): ScopeFunction | undefined {
		return this.#find(name) ?? this.#find(secondName(this.#parts.names, name) ?? "");
	}

	#find(name: string): ScopeFunction | undefined {
		const { functions } = this.#scope;
		const given = functions !== undefined && Object.hasOwn(functions, name) ? functions[name] : undefined;
		if (given !== undefined) return (call) => this.#callGiven(given, call);
		const filter = serviceFunctions.get(name);
		if (filter === undefined) return this.#own.get(name);
		return (call) => this.#parts.filter(filter, call.required(0, "value"), call.after(1, `"${name}"`));
	}

	#callGiven(called: ExpressionFunction, { positional, named }: Arguments): Value {
		const { budget } = this.#parts;
		const values = positional.map((value) => toPlainValue(value, budget));
		const byName = Object.fromEntries([...named].map(([name, value]): [string, JsonValue] => [name, toPlainValue(value, budget)]));
		budget.step();
		try {
			return called(values, byName);
		} catch (error) {
			if (error instanceof TemplateError || isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			const name = error instanceof Error && !/^(?:Svc)?Error$/.test(error.name) ? error.name : "ExpressionEvaluationException";
			throw new FunctionError(name, toErrorMessage(error), error);
		}
	}

	#context(given: Arguments): Value {
		if (given.positional.length + given.named.size > 1) throw given.error("takes one name at most");
		const key = given.get(0, "key") ?? null;
		if (key === null || key === "") return this.#visible();
		if (typeof key !== "string") throw given.error("needs a text as the name of a variable");
		const { variables } = this.#scope;
		if (isPrivate(key)) throw new FunctionError("VariableInaccessibleError", `The variable "${key}" is for internal use and inaccessible.`);
		const own = Object.hasOwn(variables, key) ? key : (secondName(this.#parts.names, key) ?? key);
		if (!Object.hasOwn(variables, own)) throw new FunctionError("VariableUndefinedError", `The variable "${key}" is undefined.`);
		return variables[own] as JsonValue;
	}

	#visible(): JsonObject {
		const { variables } = this.#scope;
		if (this.#variables === undefined) {
			const names = Object.keys(variables);
			const visible = names.some(isPrivate)
				? Object.fromEntries(Object.entries(variables).filter(([name]) => !isPrivate(name)))
				: variables;
			this.#variables = withSecondNames(visible, this.#parts.names);
		}
		return this.#variables;
	}

	/** An item of the datastore: `system.x`, else one of the user's own. */
	#item(given: Arguments): Value {
		const key = given.text(0, "key");
		const { datastore } = this.#parts;
		const [, system] = /^system\.([^]*)$/.exec(key) ?? [];
		const text = system === undefined ? datastore.find("user", key) : datastore.find("system", system);
		if (text === undefined) {
			const fallback = given.get(2, "default");
			if (fallback !== undefined) return fallback;
			throw new FunctionError("ExpressionEvaluationException", `The key "${key}" does not exist in the datastore.`);
		}
		// An empty one is not known yet, or has nothing to decrypt.
		return text !== "" && given.flag(1, "decrypt", false) ? datastore.decrypt(text) : text;
	}

	#json(given: Arguments): Value {
		const value = given.required(0, "value");
		if (isObject(value)) return value;
		if (typeof value !== "string") throw new FunctionError("TypeError", "Given object is not typeof string.");
		return this.#parts.filter("from_json_string", value, given.after(1, '"json"'));
	}

	/** Rows of one element of each list; where one has ended, the padding. */
	#zip(given: Arguments): Value {
		const lists = given.positional.map((list) => list ?? []);
		const [only] = lists;
		if (lists.length === 1 && only !== undefined) return only;
		const columns = lists.filter((list) => isList(list));
		if (columns.length < lists.length) throw given.error("needs lists");
		const length = Math.max(0, ...columns.map((column) => column.length));
		this.#parts.budget.step(length * columns.length);
		const padding = given.named.get("pad") ?? null;
		return Array.from({ length }, (_, index) => columns.map((column) => (index < column.length ? (column[index] as Value) : padding)));
	}
}
