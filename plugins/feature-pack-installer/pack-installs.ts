import type { FollowedPackEntity } from "./entities.ts";
import type { LockfileEntry } from "./install/lockfile-entries.ts";
import type { PackUpdate } from "./install/pack-updates.ts";

/** Information on installed packs and their sources. */
export interface PackInstalls {
	/**
	 * Throws `SVC_INVALID` for the first pack that cannot be installed as given, or that the service follows in git.
	 *
	 * @param locked entries of a lock file
	 */
	check(packs: readonly string[], locked?: readonly unknown[]): Promise<void>;
	/** Returns the versions that the sources of all installed packs offer. Contacts these sources. */
	outdated(): Promise<readonly PackUpdate[]>;
	/** Returns the state of each pack that the service follows, as configured. */
	followed(): Promise<readonly FollowedPackEntity[]>;
	/** Throws `SVC_INVALID` if the service follows one of the packs in git; the message names the source. */
	assertNotFollowed(...packs: readonly string[]): Promise<void>;
	/** Returns the lock file entries of the installed packs. */
	lock(): Promise<readonly LockfileEntry[]>;
}
