import type { EntityKindDefinition } from "./kind.ts";

/**
 * Count of failed sign-ins: of a user from one address, of a user from all addresses, or of all users from one address. All nodes share the
 * records, so that further attempts slow down on every node.
 */
export interface SignInFailureCountEntity {
	readonly id: string;
	/** Hash of the user, of the address, or of both. */
	readonly subject: string;
	readonly failures: number;
	readonly last_failure_at: string;
	/** Time before which attempts that the record applies to are refused without verification. */
	readonly blocked_until: string;
}

export const signInFailureKind: EntityKindDefinition<SignInFailureCountEntity> = {
	fields: { id: "text", subject: "text", failures: "integer", last_failure_at: "text", blocked_until: "text" },
	unique: [["subject"]],
	indexes: [["last_failure_at"]],
};

/** An address from which a user has signed in. There, only failures of this user from this address slow down further attempts. */
export interface KnownAddressEntity {
	readonly id: string;
	/** Hash of user and address. */
	readonly subject: string;
	/** Approximate time of the last sign-in. It is not updated by every sign-in. */
	readonly signed_in_at: string;
}

export const knownAddressKind: EntityKindDefinition<KnownAddressEntity> = {
	fields: { id: "text", subject: "text", signed_in_at: "text" },
	unique: [["subject"]],
	indexes: [["signed_in_at"]],
};

/**
 * A sign-in with a provider that was completed, or that the provider has reported as ended. The record prevents a second completion on any
 * node. It also prevents a sign-out message from being processed twice.
 */
export interface UsedSignInEntity {
	readonly id: string;
	/** Hash that identifies the sign-in, the ended session or subject, or the message. */
	readonly subject: string;
	readonly used_at: string;
}

export const usedSignInKind: EntityKindDefinition<UsedSignInEntity> = {
	fields: { id: "text", subject: "text", used_at: "text" },
	unique: [["subject"]],
	indexes: [["used_at"]],
};
