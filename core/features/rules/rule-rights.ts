import type { RequiredPermission } from "../../kernel/basics/permission-types.ts";
import { splitRef, toActionResource } from "../../kernel/basics/refs.ts";
import { toListeningRights } from "../triggers/trigger-rights-api.ts";
import type { RuleInput } from "./rules-api.ts";

type Said = Pick<RuleInput, "name" | "action" | "trigger"> & { readonly pack: string };

/** Permissions that writing a rule needs in addition to the one on its own record, as it acts when its author is not there. */
export function toRuleRights({ pack, name, action, trigger }: Said): readonly RequiredPermission[] {
	return [toActionRight(action.ref), ...toListeningRights({ ...trigger, pack, name })];
}

/** Permissions that a file with a rule needs of the user who installs or registers the pack: on what lies outside of the pack. */
export function toPackRuleRights({ pack, name, action, trigger }: Said): readonly RequiredPermission[] {
	const isOwnAction = splitRef(action.ref).pack === pack;
	return [...(isOwnAction ? [] : [toActionRight(action.ref)]), ...toListeningRights({ ...trigger, pack, name }, true)];
}

function toActionRight(ref: string): RequiredPermission {
	return { permission: "action_execute", resources: [toActionResource(ref)] };
}
