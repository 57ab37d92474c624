/** How much of somebody else's files is taken. */
export interface PackLimits {
	/** Most bytes of all files of a pack together. */
	readonly size: number;
	/** Most bytes of one file. */
	readonly fileSize: number;
	/** Most files and folders. */
	readonly files: number;
	/** Most seconds that a pack may take to arrive. */
	readonly seconds: number;
}

/** Most symbolic and hard links of a pack: each takes a look at all of its files. */
export const mostLinks = 1_000;
/** A repository holds more than the one revision that is taken of it, and now and then all of it must come. */
export const repositoryFactor = 10;
