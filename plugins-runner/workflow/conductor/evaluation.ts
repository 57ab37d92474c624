import { type ExpressionFunction, type Expressions, isSvcError, type JsonObject, type JsonValue } from "../../../core/contract/index.ts";
import { ByteCache } from "./byte-cache.ts";
import type { ChildResults } from "./child-results.ts";
import type { JournalValues } from "./journal-values.ts";
import { mergeDeep } from "./merge-deep.ts";
import type { RunState } from "./run-state.ts";
import { estimateBytes } from "./value-scan.ts";
import { toMergedWrites, type Variables, type VariableWrite } from "./variables.ts";

/** What an expression sees. */
export interface ExpressionView {
	readonly variables: Variables;
	/** What counts before `variables`: values that have just been evaluated, whole. */
	readonly overlay?: Map<string, JsonValue>;
	/** Functions for what has come of tasks; they read results by `lookup`, which is undefined for what is not loaded. */
	functions?(lookup: (executionId: string) => JsonValue | undefined): Readonly<Record<string, ExpressionFunction>>;
}

/** How often an evaluation begins anew because it reads a result that was not loaded; each one may tell of the next. */
const mostRounds = 30;
/** Objects that variables have been merged to. */
const mergedBytes = 8 * 1024 * 1024;

/**
 * Evaluates expressions, which cannot wait for results: what one reads and is not loaded is noted, loaded, and the expression evaluated
 * again.
 */
export class Evaluation {
	readonly #expressions: Expressions;
	readonly #state: RunState;
	readonly #held: JournalValues;
	readonly #results: ChildResults;
	readonly #merged = new ByteCache<VariableWrite, JsonValue>(mergedBytes);

	constructor(tools: {
		readonly expressions: Expressions;
		readonly state: RunState;
		readonly held: JournalValues;
		readonly results: ChildResults;
	}) {
		this.#expressions = tools.expressions;
		this.#state = tools.state;
		this.#held = tools.held;
		this.#results = tools.results;
	}

	async evaluate(value: JsonValue, view: ExpressionView): Promise<JsonValue> {
		const uses = this.#expressions.find(value);
		if (uses.length === 0) return value;
		const readsTasks = uses.some(({ functions }) => functions.includes("task"));
		return this.#inRounds(async (lookup) => {
			const evaluated = await this.#expressions.evaluate(value, this.#toScope(view, lookup));
			return readsTasks ? withResults(evaluated) : evaluated;
		});
	}

	/** A value out of the journal. */
	async decode(held: JsonValue): Promise<JsonValue> {
		return this.#inRounds(async (lookup) => this.#held.decode(held, lookup));
	}

	/** What an expression saw of variables, in a short form. */
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
				if (missing.size === 0 || round === mostRounds) return value;
			} catch (error) {
				if (missing.size === 0 || round === mostRounds || isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			}
			await this.#results.load(missing, loaded);
		}
	}

	#lookup(executionId: string, loaded: Map<string, JsonValue>, missing: Set<string>): JsonValue | undefined {
		const known = loaded.has(executionId) ? loaded.get(executionId) : this.#results.get(executionId);
		if (known !== undefined) loaded.set(executionId, known);
		else missing.add(executionId);
		return known;
	}

	#toScope(view: ExpressionView, lookup: (executionId: string) => JsonValue | undefined) {
		const read = (name: string | symbol) => (typeof name === "string" ? this.#read(name, view, lookup) : undefined);
		const has = (name: string | symbol) => typeof name === "string" && this.#has(name, view);
		// Read one by one, when they are asked for: there may be many of them, and large ones.
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
		const fresh = overlay?.get(name);
		if (fresh !== undefined) return fresh;
		const write = variables.get(name);
		const system = Object.hasOwn(this.#state.system, name) ? this.#state.system[name] : undefined;
		if (write !== undefined) return this.#merge(write, system, lookup);
		return system === undefined ? undefined : this.#held.decode(system, lookup);
	}

	#merge(write: VariableWrite, system: JsonValue | undefined, lookup: (executionId: string) => JsonValue | undefined): JsonValue {
		const writes = toMergedWrites(write, (before) => this.#merged.has(before));
		const [first] = writes;
		const values = writes.map((one) => (one === first ? this.#merged.get(one) : undefined) ?? this.#held.decode(one.held, lookup));
		const isLowest = first !== undefined && first.before === undefined && !this.#merged.has(first);
		if (isLowest && system !== undefined) values.unshift(this.#held.decode(system, lookup));
		const [only] = values;
		if (values.length === 1 && only !== undefined) return only;
		const merged = values.reduce(mergeDeep);
		if (this.#isLoaded(writes, lookup)) this.#merged.set(write, merged, estimateBytes(merged));
		return merged;
	}

	/** Whether nothing of them was missing, so that what they have been merged to is right. */
	#isLoaded(writes: readonly VariableWrite[], lookup: (executionId: string) => JsonValue | undefined): boolean {
		let isLoaded = true;
		for (const { held } of writes) {
			this.#held.decode(held, (id) => {
				const value = lookup(id);
				if (value === undefined) isLoaded = false;
				return value;
			});
		}
		return isLoaded;
	}
}

/** The value with results that nobody has read yet, as part of what `task()` gave. */
function withResults(value: JsonValue): JsonValue {
	if (typeof value !== "object" || value === null) return value;
	if (Array.isArray(value)) return value.some((part) => withResults(part) !== part) ? value.map(withResults) : value;
	const descriptors = Object.entries(Object.getOwnPropertyDescriptors(value));
	const parts = descriptors.map(([name, { get, value: own }]) => [name, get === undefined ? withResults(own) : get.call(value)] as const);
	return descriptors.some(([, { get, value: own }], at) => get !== undefined || own !== parts[at]?.[1]) ? Object.fromEntries(parts) : value;
}
