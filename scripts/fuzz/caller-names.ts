/** Who asks: everything allowed, one permission, a key for one webhook, somebody without a credential, one with a wrong one. */
export const callerNames = ["admin", "single", "hook-key", "nobody", "stranger"] as const;

export type CallerName = (typeof callerNames)[number];

/** The permission of the caller `single`, which does no harm. */
export const singlePermission = "runner_type_list";
/** The webhook of the caller `hook-key`. */
export const ownHook = "own";
