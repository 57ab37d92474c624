import { type EntityKind, entityKinds } from "../../contract/index.ts";

/** A record of a pack that names an action. */
export interface NamedAction {
	readonly pack: string;
	readonly metadata_file: string | null;
	readonly action_ref: string;
}

/** Returns true if this service stores records of the kind. Kinds of features that the configuration leaves out are not stored. */
export function isKept(kind: string): kind is EntityKind {
	return kind in entityKinds;
}
