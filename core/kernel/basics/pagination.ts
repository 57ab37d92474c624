/** Condition for a filter that may name several values. */
export function toOneOf<V>(value: V | readonly V[]): V | { readonly in: readonly V[] } {
	return isList(value) ? { in: value } : value;
}

function isList<V>(value: V | readonly V[]): value is readonly V[] {
	return Array.isArray(value);
}
