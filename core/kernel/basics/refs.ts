/** Record for which a permission is required. */
export interface Resource {
	/** Identifies the record, such as `action:core:local`. */
	readonly uid: string;
	/** Ref of the pack that contains the record; absent if none does. A grant on the pack counts like one on the record. */
	readonly pack?: string;
	/** User who owns the record and needs no grant. All other users except administrators are refused, even with a grant. */
	readonly owner?: string;
}

/** Splits a ref into pack and name at its first dot. Only the name may contain dots. */
export function splitRef(ref: string): { readonly pack: string; readonly name: string } {
	const [pack = "", ...name] = ref.split(".");
	return { pack, name: name.join(".") };
}

/** Returns the resource of an action, given its ref. */
export function toActionResource(ref: string): Resource {
	const { pack, name } = splitRef(ref);
	return { uid: `action:${pack}:${name}`, pack };
}
