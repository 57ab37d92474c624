import { type RequiredPermission, splitRef, toActionResource } from "../../core/feature.ts";
import type { AliasInput } from "./aliases-exports.ts";

/**
 * Returns the permissions that creating or changing an alias requires in addition to the permission for its record. They are required
 * because the author chooses the action that users of the alias run.
 */
export function toAliasRights({ action_ref }: Pick<AliasInput, "action_ref">): readonly RequiredPermission[] {
	return [{ permission: "action_execute", resources: [toActionResource(action_ref)] }];
}

/**
 * Returns the permissions that an alias file requires from the user who installs or registers the pack. Only actions of other packs
 * require one.
 */
export function toPackAliasRights({ action_ref }: Pick<AliasInput, "action_ref">, pack: string): readonly RequiredPermission[] {
	return splitRef(action_ref).pack === pack ? [] : toAliasRights({ action_ref });
}
