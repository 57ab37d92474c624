/** A part of a list. */
export interface Page<T> {
	readonly items: readonly T[];
	/** Records that match, paging ignored. */
	readonly total: number;
}

/** Which part of a list is asked for. */
export interface Paging {
	/** Undefined: everything. */
	readonly limit?: number;
	readonly offset?: number;
}
