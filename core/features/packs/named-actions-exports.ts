import { type EntityKind, entityKinds } from "../../contract/index.ts";

/** A record of a pack that names an action. */
export interface NamedAction {
	readonly pack: string;
	readonly metadata_file: string | null;
	readonly action_ref: string;
}

/** Returns true if the kind is defined in this process: it is one of the service, or of a feature that was defined (`defineFeature`). */
export function isDefinedKind(kind: string): kind is EntityKind {
	return kind in entityKinds;
}
