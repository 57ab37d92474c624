import type { Resource } from "./allows.ts";

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
