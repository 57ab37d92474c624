/** A part of a list. */
export interface Page<T> {
	readonly items: readonly T[];
	/** Records that match, paging ignored. */
	readonly total: number;
}
