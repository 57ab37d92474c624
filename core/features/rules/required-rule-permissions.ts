import type { RequiredPermission } from "../../kernel/basics/permission-types.ts";
import { splitRef, toActionResource } from "../../kernel/basics/refs.ts";
import { toListeningRights } from "../triggers/required-trigger-permissions-exports.ts";
import type { RuleInput } from "./rules-exports.ts";

type Said = Pick<RuleInput, "name" | "action" | "trigger"> & { readonly pack: string };

/**
 * Returns the permissions needed to write a rule, in addition to the permission on its record, because the rule later acts as the system
 * user.
 */
export function toRuleRights({ pack, name, action, trigger }: Said): readonly RequiredPermission[] {
	return [toActionRight(action.ref), ...toListeningRights({ ...trigger, pack, name })];
}

/** Returns the permissions that a rule file requires of the user who installs or registers the pack: on resources outside of the pack. */
export function toPackRuleRights({ pack, name, action, trigger }: Said): readonly RequiredPermission[] {
	const isOwnAction = splitRef(action.ref).pack === pack;
	return [...(isOwnAction ? [] : [toActionRight(action.ref)]), ...toListeningRights({ ...trigger, pack, name }, true)];
}

function toActionRight(ref: string): RequiredPermission {
	return { permission: "action_execute", resources: [toActionResource(ref)] };
}
