import type { JsonObject, JsonValue } from "../../contract/index.ts";
import type { Arguments } from "./arguments.ts";
import { type Datastore, DatastoreReference, type DatastoreScope, isDatastoreName } from "./datastore.ts";
import type { Value } from "./values.ts";

/** Variables and functions of a template. */
export interface TemplateScope {
	/** Returns a variable; undefined if it does not exist. */
	lookup(name: string): JsonValue | DatastoreReference | undefined;
	/** Datastore that `decrypt_kv` uses. Default: a datastore that cannot decrypt. */
	readonly datastore?: Datastore | undefined;
	/**
	 * Returns a function that exists in addition to the global ones; undefined if there is none. It can also be used as a filter; the input
	 * is then its first argument.
	 */
	readonly findFunction?: (name: string) => ScopeFunction | undefined;
	/**
	 * Returns the object or list that a JSON string contains; undefined if it contains none. If this function is present, templates can
	 * read members of such strings.
	 */
	readonly fromJsonText?: (text: string) => JsonValue | undefined;
}

/** Variables that the template itself has set, in one block and its enclosing blocks. */
export class Variables<T = Value> {
	readonly #values = new Map<string, T>();
	readonly #outer: Variables<T> | undefined;

	constructor(outer?: Variables<T>) {
		this.#outer = outer;
	}

	get(name: string): T | undefined {
		const value = this.#values.get(name);
		return value === undefined ? this.#outer?.get(name) : value;
	}

	set(name: string, value: T): void {
		this.#values.set(name, value);
	}
}

/** Function of a scope that templates can call. */
export type ScopeFunction = (given: Arguments) => Value;

/** Returns a scope of the given values. The datastore is available as `svckv`, unless a value has that name. */
export function toScope(
	values: JsonObject,
	datastore?: Datastore,
	datastoreScopes: readonly DatastoreScope[] = ["system", "user"],
): TemplateScope {
	const svckv = datastore === undefined ? undefined : new DatastoreReference(datastore, datastoreScopes);
	return {
		datastore,
		lookup(name) {
			if (Object.hasOwn(values, name)) return values[name];
			return isDatastoreName(name, datastore ?? {}) ? svckv : undefined;
		},
	};
}
