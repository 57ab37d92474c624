import type { RequiredPermission } from "../../kernel/basics/permission-types.ts";
import { splitRef, toActionResource } from "../../kernel/basics/refs.ts";
import type { AliasInput } from "./aliases-api.ts";

/** Permissions that writing an alias needs in addition to the one on its own record: its author decides what others run by it. */
export function toAliasRights({ action_ref }: Pick<AliasInput, "action_ref">): readonly RequiredPermission[] {
	return [{ permission: "action_execute", resources: [toActionResource(action_ref)] }];
}

/** Permissions that a file with an alias needs of the user who installs or registers the pack: on what lies outside of the pack. */
export function toPackAliasRights({ action_ref }: Pick<AliasInput, "action_ref">, pack: string): readonly RequiredPermission[] {
	return splitRef(action_ref).pack === pack ? [] : toAliasRights({ action_ref });
}
