import type { FollowedPackEntity } from "../../contract/index.ts";
import type { LockEntry } from "./install/lock-entries.ts";
import type { Newer } from "./install/outdated.ts";

/** What is known of the packs that were installed, and where they came from. */
export interface PackInstalls {
	/**
	 * `SVC_INVALID` says what is wrong with the first that nothing can be installed from, or that the service follows in git. `locked`:
	 * entries of a lock file.
	 */
	check(packs: readonly string[], locked?: readonly unknown[]): Promise<void>;
	/** What there is of each where it came from: asks these places. */
	outdated(): Promise<readonly Newer[]>;
	/** How far each pack has come that the configuration has the service follow. */
	followed(): Promise<readonly FollowedPackEntity[]>;
	/** `SVC_INVALID` where the service follows one of these in git; the text says where. */
	assertNotFollowed(...packs: readonly string[]): Promise<void>;
	/** What a lock file says of them. */
	lock(): Promise<readonly LockEntry[]>;
}
