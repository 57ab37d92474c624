/**
 * Returns the members of an object whose values are not undefined. The types of records and filters allow members to be missing, but not to
 * be undefined.
 */
export function withoutUndefined<T extends object>(members: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
	return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
