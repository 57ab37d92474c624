/** A pack that has a directory. */
export interface PackDirectory {
	readonly ref: string;
	/** Absolute path of the directory. */
	readonly path: string;
	/** `content` of the record of an installed pack; its resources are stored with this value. Null for a pack that is not installed. */
	readonly content: string | null;
}
