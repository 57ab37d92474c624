/** A pack with files of its own. */
export interface PackDirectory {
	readonly ref: string;
	/** Absolute. */
	readonly path: string;
}
