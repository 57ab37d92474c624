import type { PermissionType } from "./permission-types.ts";
import type { Resource } from "./refs.ts";

/** A permission that a request needs in addition to that of its route. */
export interface RequiredPermission {
	readonly permission: PermissionType;
	/** A grant on any one of these is sufficient. Absent: the permission is required globally, not on a record. */
	readonly resources?: readonly Resource[];
	/** True if the service uses the value of a secret, which the role `observer` only sees masked: that role does not count then. */
	readonly isSecretUsed?: boolean;
}

/** Throws `SVC_FORBIDDEN` if one of the permissions is missing. */
export type AssertPermitted = (required: readonly RequiredPermission[]) => void;
