import type { JsonObject, JsonValue } from "../../contract/index.ts";
import type { Arguments } from "./arguments.ts";
import { type Datastore, DatastoreReference, type DatastoreScope, isDatastoreName } from "./datastore.ts";
import type { Value } from "./values.ts";

/** Where a template finds its variables. */
export interface TemplateScope {
	/** The variable of this name; undefined when there is none. */
	lookup(name: string): JsonValue | DatastoreReference | undefined;
	/** For `decrypt_kv`. Without it there is nothing to decrypt with. */
	readonly datastore?: Datastore | undefined;
	/** A function that may be called besides those of every template, also as a filter: its input is the first argument then. */
	readonly functionOf?: (name: string) => ScopeFunction | undefined;
	/** What a text holds, where members of texts may be read; undefined for one that holds none. */
	readonly fromJsonText?: (text: string) => JsonValue | undefined;
}

export type ScopeFunction = (given: Arguments) => Value;

/** A scope of given values and, unless one of them has its name, the datastore as `svckv`. */
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
