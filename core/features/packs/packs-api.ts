/** A pack with files of its own. */
export interface PackDirectory {
	readonly ref: string;
	/** Absolute. */
	readonly path: string;
	/** Of an installed pack: `content` of its record, which what it brings is stored with. */
	readonly content: string | null;
}
