/** Limits for the files of a pack, because its source may not be trusted. */
export interface PackLimits {
	/** Maximum number of bytes of all files of a pack together. */
	readonly size: number;
	/** Maximum number of bytes of one file. */
	readonly fileSize: number;
	/** Maximum number of files and folders. */
	readonly files: number;
	/** Maximum number of seconds for fetching a pack. */
	readonly seconds: number;
}

/** Maximum number of symbolic and hard links of a pack. Replacing each link may scan all files of the pack. */
export const maxLinks = 1_000;
/**
 * Ratio of the size limit of a repository to that of a pack. If a server cannot send a single revision, the whole history must be fetched.
 */
export const repositoryFactor = 10;
