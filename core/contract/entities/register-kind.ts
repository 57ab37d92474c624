import { type EntityKind, type EntityMap, entityKinds } from "./index.ts";
import type { EntityKindDefinition } from "./kind.ts";

const builtInKinds: ReadonlySet<string> = new Set(Object.keys(entityKinds));

/**
 * Adds a kind of entities of a feature. Every storage that starts later supports the kind. Its type is declared in `EntityMap`. Throws
 * for a built-in kind, for one that is already defined with other fields, and for a name that is not lower case letters with underscores.
 */
export function registerKind<K extends EntityKind>(kind: K, definition: EntityKindDefinition<EntityMap[K]>): void {
	if (builtInKinds.has(kind)) throw new Error(`kind "${kind}" is built in and cannot be registered`);
	if (!/^[a-z][a-z_]{0,40}$/.test(kind))
		throw new Error(`kind "${kind}": must be lower-case letters and underscores, beginning with a letter`);
	const known = (entityKinds as { readonly [K in EntityKind]?: EntityKindDefinition<EntityMap[K]> })[kind] ?? definition;
	if (JSON.stringify(known.fields) !== JSON.stringify(definition.fields))
		throw new Error(`kind "${kind}" is already defined by another feature`);
	(entityKinds as Record<string, unknown>)[kind] = { ...definition, optional: true };
}
