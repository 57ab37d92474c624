import type { JsonObject, JsonValue } from "../../contract/index.ts";
import { type Datastore, DatastoreReference, type DatastoreScope } from "./datastore.ts";

/** Where a template finds its variables. */
export interface TemplateScope {
	/** The variable of this name; undefined when there is none. */
	lookup(name: string): JsonValue | DatastoreReference | undefined;
	/** For `decrypt_kv`. Without it there is nothing to decrypt with. */
	readonly datastore?: Datastore | undefined;
}

/** A scope of given values and, unless one of them has its name, the datastore as `svckv`. */
export function toScope(
	values: JsonObject,
	datastore?: Datastore,
	datastoreScopes: readonly DatastoreScope[] = ["system", "user"],
): TemplateScope {
	const svckv = datastore === undefined ? undefined : new DatastoreReference(datastore, datastoreScopes);
	return { datastore, lookup: (name) => (Object.hasOwn(values, name) ? values[name] : name === "svckv" ? svckv : undefined) };
}
