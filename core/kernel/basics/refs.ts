/** The record a permission is asked for. */
export interface Resource {
	/** Such as `action:core:local`. */
	readonly uid: string;
	/** Ref of the pack it is in, when it is in one: a grant on the pack counts like one on the record. */
	readonly pack?: string;
	/** User whose own it is, who needs no grant. Nobody else may have one: there are only administrators besides. */
	readonly owner?: string;
}

/** Pack and name of a ref. Names of packs have no dot. */
export function splitRef(ref: string): { readonly pack: string; readonly name: string } {
	const [pack = "", ...name] = ref.split(".");
	return { pack, name: name.join(".") };
}

/** The resource of an action, by its ref. */
export function toActionResource(ref: string): Resource {
	const { pack, name } = splitRef(ref);
	return { uid: `action:${pack}:${name}`, pack };
}
