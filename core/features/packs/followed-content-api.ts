import { isDeepStrictEqual } from "node:util";
import { parseJson, stringifyJson } from "../../contract/index.ts";
import type { PackInstalls } from "./install-api.ts";

/** What routes that change content of packs ask of the engine. A configuration may leave the packs out. */
export interface FollowedNeeds {
	readonly packInstalls?: Pick<PackInstalls, "assertNotFollowed">;
}

/**
 * To be asked by every route that changes content of packs, with the pack that it is in and the one that it comes into: `SVC_INVALID` where
 * the service follows one of them in git, as its next version there would undo what is done.
 */
export async function assertNotFollowed({ packInstalls }: FollowedNeeds, ...packs: readonly string[]): Promise<void> {
	await packInstalls?.assertNotFollowed(...packs);
}

/** Whether a body is the record as it was read, perhaps with another `enabled`, which is for operators wherever a pack comes from. */
export function isSwitchOnly(body: object, record: object): boolean {
	return isDeepStrictEqual(withoutSwitch(body), withoutSwitch(record));
}

/** As it stands on the wire. */
function withoutSwitch(value: object): unknown {
	return parseJson(stringifyJson({ ...value, enabled: undefined }));
}
