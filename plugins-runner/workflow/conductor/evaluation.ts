import { type ExpressionFunction, type Expressions, isSvcError, type JsonObject, type JsonValue } from "../../../core/contract/index.ts";
import { ByteCache } from "./byte-cache.ts";
import type { ChildResults } from "./child-results.ts";
import { estimateBytes } from "./find-large-parts.ts";
import type { JournalValues } from "./journal-values.ts";
import { mergeDeep } from "./merge-deep.ts";
import type { RunState } from "./run-state.ts";
import { toMergedWrites, type Variables, type VariableWrite } from "./variables.ts";

/** Variables and functions that an expression can use. */
export interface ExpressionView {
	readonly variables: Variables;
	/** Decoded values that take precedence over `variables`, because they have just been evaluated. */
	readonly overlay?: Map<string, JsonValue>;
	/** Returns functions that read tasks and results. `lookup` returns undefined for results that are not loaded. */
	functions?(lookup: (executionId: string) => JsonValue | undefined): Readonly<Record<string, ExpressionFunction>>;
}

/** Maximum number of attempts of an evaluation. Each attempt may need further results, which are loaded before the next one. */
const maxRounds = 30;
/** Maximum bytes of merged variables that are cached. */
const maxMergedBytes = 8 * 1024 * 1024;

/**
 * Evaluates expressions. An expression cannot wait for a result: if it reads one that is not loaded, the result is loaded, and the
 * expression is evaluated again.
 */
export class Evaluation {
	readonly #expressions: Expressions;
	readonly #state: RunState;
	readonly #journalValues: JournalValues;
	readonly #results: ChildResults;
	readonly #merged = new ByteCache<VariableWrite, JsonValue>(maxMergedBytes);

	constructor(tools: {
		readonly expressions: Expressions;
		readonly state: RunState;
		readonly held: JournalValues;
		readonly results: ChildResults;
	}) {
		this.#expressions = tools.expressions;
		this.#state = tools.state;
		this.#journalValues = tools.held;
		this.#results = tools.results;
	}

	/**
	 * Evaluates the expressions in a value. Rejects with the error of the expression; with `SVC_UNAVAILABLE` if a result cannot be reached.
	 */
	async evaluate(value: JsonValue, view: ExpressionView): Promise<JsonValue> {
		const uses = this.#expressions.find(value);
		if (uses.length === 0) return value;
		const readsTasks = uses.some(({ functions }) => functions.includes("task"));
		return this.#inRounds(async (lookup) => {
			const evaluated = await this.#expressions.evaluate(value, this.#toScope(view, lookup));
			return readsTasks ? withResults(evaluated) : evaluated;
		});
	}

	/** Decodes a value of the journal, and loads the results that it refers to. */
	async decode(held: JsonValue): Promise<JsonValue> {
		return this.#inRounds(async (lookup) => this.#journalValues.decode(held, lookup));
	}

	/** Returns the values that an expression sees for these variables; undefined for variables that are not set. */
	async readVariables(names: readonly string[], view: ExpressionView): Promise<readonly (readonly [string, JsonValue | undefined])[]> {
		return this.#inRounds(async (lookup) => names.map((name) => [name, this.#read(name, view, lookup)] as const));
	}

	async #inRounds<T>(attempt: (lookup: (executionId: string) => JsonValue | undefined) => Promise<T>): Promise<T> {
		const loaded = new Map<string, JsonValue>();
		for (let round = 1; ; round++) {
			const missing = new Set<string>();
			const lookup = (id: string) => this.#lookup(id, loaded, missing);
			try {
				const value = await attempt(lookup);
				if (missing.size === 0 || round === maxRounds) return value;
			} catch (error) {
				if (missing.size === 0 || round === maxRounds || isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			}
			await this.#results.load(missing, loaded);
		}
	}

	#lookup(executionId: string, loaded: Map<string, JsonValue>, missing: Set<string>): JsonValue | undefined {
		const result = loaded.has(executionId) ? loaded.get(executionId) : this.#results.get(executionId);
		if (result !== undefined) loaded.set(executionId, result);
		else missing.add(executionId);
		return result;
	}

	#toScope(view: ExpressionView, lookup: (executionId: string) => JsonValue | undefined) {
		const read = (name: string | symbol) => (typeof name === "string" ? this.#read(name, view, lookup) : undefined);
		const has = (name: string | symbol) => typeof name === "string" && this.#has(name, view);
		// Variables are read on access, because there may be many of them, and large ones.
		const variables = new Proxy<JsonObject>(
			{},
			{
				get: (_, name) => read(name),
				has: (_, name) => has(name),
				ownKeys: () => this.#names(view),
				getOwnPropertyDescriptor: (_, name) =>
					has(name) ? { value: read(name), enumerable: true, configurable: true, writable: true } : undefined,
				set: () => false,
				defineProperty: () => false,
				deleteProperty: () => false,
			},
		);
		return { variables, functions: view.functions?.(lookup) ?? {} };
	}

	#names({ variables, overlay }: ExpressionView): string[] {
		return [...new Set([...Object.keys(this.#state.system), ...variables.names(), ...(overlay?.keys() ?? [])])];
	}

	#has(name: string, { variables, overlay }: ExpressionView): boolean {
		return overlay?.has(name) === true || variables.get(name) !== undefined || Object.hasOwn(this.#state.system, name);
	}

	#read(
		name: string,
		{ variables, overlay }: ExpressionView,
		lookup: (executionId: string) => JsonValue | undefined,
	): JsonValue | undefined {
		const overlaid = overlay?.get(name);
		if (overlaid !== undefined) return overlaid;
		const write = variables.get(name);
		const system = Object.hasOwn(this.#state.system, name) ? this.#state.system[name] : undefined;
		if (write !== undefined) return this.#merge(write, system, lookup);
		return system === undefined ? undefined : this.#journalValues.decode(system, lookup);
	}

	#merge(write: VariableWrite, system: JsonValue | undefined, lookup: (executionId: string) => JsonValue | undefined): JsonValue {
		const writes = toMergedWrites(write, (before) => this.#merged.has(before));
		const [first] = writes;
		const values = writes.map((one) => (one === first ? this.#merged.get(one) : undefined) ?? this.#journalValues.decode(one.held, lookup));
		const reachesStart = first !== undefined && first.before === undefined && !this.#merged.has(first);
		if (reachesStart && system !== undefined) values.unshift(this.#journalValues.decode(system, lookup));
		const [only] = values;
		if (values.length === 1 && only !== undefined) return only;
		const merged = values.reduce(mergeDeep);
		if (this.#isLoaded(writes, lookup)) this.#merged.set(write, merged, estimateBytes(merged));
		return merged;
	}

	/** Returns true if no result was missing when these values were decoded, so that their merged value may be cached. */
	#isLoaded(writes: readonly VariableWrite[], lookup: (executionId: string) => JsonValue | undefined): boolean {
		let isLoaded = true;
		for (const { held } of writes) {
			this.#journalValues.decode(held, (id) => {
				const value = lookup(id);
				if (value === undefined) isLoaded = false;
				return value;
			});
		}
		return isLoaded;
	}
}

/** Replaces getters of results that no expression has read, as in the record of `task()`, by their values. */
function withResults(value: JsonValue): JsonValue {
	if (typeof value !== "object" || value === null) return value;
	if (Array.isArray(value)) return value.some((part) => withResults(part) !== part) ? value.map(withResults) : value;
	const descriptors = Object.entries(Object.getOwnPropertyDescriptors(value));
	const parts = descriptors.map(([name, { get, value: own }]) => [name, get === undefined ? withResults(own) : get.call(value)] as const);
	return descriptors.some(([, { get, value: own }], at) => get !== undefined || own !== parts[at]?.[1]) ? Object.fromEntries(parts) : value;
}
