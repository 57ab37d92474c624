import { type EntityKind, type EntityMap, entityKinds } from "./index.ts";
import type { EntityKindDefinition } from "./kind.ts";

const builtInKinds: ReadonlySet<string> = new Set(Object.keys(entityKinds));

/**
 * Adds a kind of entities for a custom feature.
 *
 * Call it when the module of the feature is loaded, so that every storage that starts later supports the kind. Declare the type of the
 * entities in `EntityMap`. A repeated definition replaces the previous one. Throws for a built-in kind, and for a name that is not
 * lower case letters with underscores.
 */
export function defineKind<K extends EntityKind>(kind: K, definition: EntityKindDefinition<EntityMap[K]>): void {
	if (builtInKinds.has(kind)) throw new Error(`kind "${kind}" is one of the service`);
	if (!/^[a-z][a-z_]{0,40}$/.test(kind))
		throw new Error(`kind "${kind}": must be lower-case letters and underscores, beginning with a letter`);
	(entityKinds as Record<string, unknown>)[kind] = { ...definition, optional: true };
}
