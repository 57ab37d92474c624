import type { EntityKindDefinition } from "./kind.ts";

/**
 * Failed sign-ins of a user from an address, or from an address in total. The record is shared, so that further attempts slow down on
 * all nodes.
 */
export interface SignInFailureEntity {
	readonly id: string;
	/** Hash of the user and address, or of the address, that is counted. */
	readonly subject: string;
	readonly failures: number;
	readonly last_failure_at: string;
	/** Time before which all attempts are refused without verification. */
	readonly blocked_until: string;
}

export const signInFailureKind: EntityKindDefinition<SignInFailureEntity> = {
	fields: { id: "text", subject: "text", failures: "integer", last_failure_at: "text", blocked_until: "text" },
	unique: [["subject"]],
	indexes: [["last_failure_at"]],
};

/** Record of an address from which a user has signed in. */
export interface SignInPlaceEntity {
	readonly id: string;
	/** Hash of user and address. */
	readonly subject: string;
	/** Approximate time of the last sign-in. It is not updated by every sign-in. */
	readonly signed_in_at: string;
}

export const signInPlaceKind: EntityKindDefinition<SignInPlaceEntity> = {
	fields: { id: "text", subject: "text", signed_in_at: "text" },
	unique: [["subject"]],
	indexes: [["signed_in_at"]],
};

/** A completed sign-in with a provider. It cannot be completed a second time on any node. */
export interface UsedSignInEntity {
	readonly id: string;
	/** Hash of the identifier of the sign-in. */
	readonly subject: string;
	readonly used_at: string;
}

export const usedSignInKind: EntityKindDefinition<UsedSignInEntity> = {
	fields: { id: "text", subject: "text", used_at: "text" },
	unique: [["subject"]],
	indexes: [["used_at"]],
};
