import { isDeepStrictEqual } from "node:util";
import { parseJson, stringifyJson } from "../../contract/index.ts";
import type { PackInstalls } from "./install-exports.ts";

/** Engine members used by routes that change content of packs. `packInstalls` is absent if the engine has no packs feature. */
export interface FollowedNeeds {
	readonly packInstalls?: Pick<PackInstalls, "assertNotFollowed">;
}

/**
 * Throws `SVC_INVALID` if the service follows one of the packs in git, because the next version from git would undo the change. Every
 * route that changes content of packs must call it with the pack that contains the content and the pack that it moves to.
 */
export async function assertNotFollowed({ packInstalls }: FollowedNeeds, ...packs: readonly string[]): Promise<void> {
	await packInstalls?.assertNotFollowed(...packs);
}

/** True if a body differs from the record at most in `enabled`. Operators may change `enabled` even in the records of a followed pack. */
export function isSwitchOnly(body: object, record: object): boolean {
	return isDeepStrictEqual(withoutSwitch(body), withoutSwitch(record));
}

/** Returns the value in its wire form, without `enabled`. */
function withoutSwitch(value: object): unknown {
	return parseJson(stringifyJson({ ...value, enabled: undefined }));
}
