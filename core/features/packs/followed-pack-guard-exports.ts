import { isDeepStrictEqual } from "node:util";
import { parseJson, stringifyJson } from "../../contract/index.ts";

/** State of a pack that the service follows in git. */
export interface FollowedPackState {
	/** Source in the form that `svc pack install` accepts. */
	readonly source: string;
	/** Ref of the pack. Null until it has been installed from this source. */
	readonly pack: string | null;
	/** `installing`, `installed`, `failed` or `unreachable`. */
	readonly state: string;
	/** Commit of the last or current installation. */
	readonly commit: string | null;
	/** Reason of the state `failed` or `unreachable`. */
	readonly reason: string | null;
	readonly checked_at: string;
}

/** Packs that the service follows in git. */
export interface PackFollowing {
	/** Returns the state of each pack that the service follows, as configured. */
	followed(): Promise<readonly FollowedPackState[]>;
	/** Throws `SVC_INVALID` if the service follows one of the packs in git; the message names the source. */
	assertNotFollowed(...packs: readonly string[]): Promise<void>;
}

/** Engine members used by routes that change content of packs. `packInstalls` is absent if no feature installs packs. */
export interface FollowedDependencies {
	readonly packInstalls?: PackFollowing;
}

/**
 * Throws `SVC_INVALID` if the service follows one of the packs in git, because the next version from git would undo the change. Every
 * route that changes content of packs must call it with the pack that contains the content and the pack that it moves to.
 */
export async function assertNotFollowed({ packInstalls }: FollowedDependencies, ...packs: readonly string[]): Promise<void> {
	await packInstalls?.assertNotFollowed(...packs);
}

/**
 * Returns true if a body differs from the record at most in `enabled`. Operators may change `enabled` even in the records of a followed
 * pack.
 */
export function isSwitchOnly(body: object, record: object): boolean {
	return isDeepStrictEqual(withoutSwitch(body), withoutSwitch(record));
}

/** Returns the value in its wire form, without `enabled`. */
function withoutSwitch(value: object): unknown {
	return parseJson(stringifyJson({ ...value, enabled: undefined }));
}
