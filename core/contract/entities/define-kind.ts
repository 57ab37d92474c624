import { type EntityKind, type EntityMap, entityKinds } from "./index.ts";
import type { EntityKindDefinition } from "./kind.ts";

const own: ReadonlySet<string> = new Set(Object.keys(entityKinds));

/**
 * Add a kind of entities: what a feature of one's own keeps. Called where the module of the feature is loaded, so that every storage that
 * starts afterwards has a place for it; the type of the entities is declared in `EntityMap`. Defined again, it replaces what was there.
 * Throws for a kind of the service itself, and for a name that is none: lower case with underscores.
 */
export function defineKind<K extends EntityKind>(kind: K, definition: EntityKindDefinition<EntityMap[K]>): void {
	if (own.has(kind)) throw new Error(`kind "${kind}" is one of the service`);
	if (!/^[a-z][a-z_]{0,40}$/.test(kind))
		throw new Error(`kind "${kind}": must be lower-case letters and underscores, beginning with a letter`);
	(entityKinds as Record<string, unknown>)[kind] = { ...definition, optional: true };
}
