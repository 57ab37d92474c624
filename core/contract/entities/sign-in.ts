import type { EntityKindDefinition } from "./kind.ts";

/** Failed sign-ins of one user from one address, or of one address, so that they slow down on every node. */
export interface SignInFailureEntity {
	readonly id: string;
	/** What is counted, hashed. */
	readonly subject: string;
	readonly failures: number;
	readonly last_failure_at: string;
	/** No attempt is looked at before this time. */
	readonly blocked_until: string;
}

export const signInFailureKind: EntityKindDefinition<SignInFailureEntity> = {
	fields: { id: "text", subject: "text", failures: "integer", last_failure_at: "text", blocked_until: "text" },
	unique: [["subject"]],
	indexes: [["last_failure_at"]],
};

/** That a user has signed in from an address. */
export interface SignInPlaceEntity {
	readonly id: string;
	/** User and address, hashed. */
	readonly subject: string;
	/** Of late; not of each time. */
	readonly signed_in_at: string;
}

export const signInPlaceKind: EntityKindDefinition<SignInPlaceEntity> = {
	fields: { id: "text", subject: "text", signed_in_at: "text" },
	unique: [["subject"]],
	indexes: [["signed_in_at"]],
};

/** A sign-in with a provider that has been finished: it cannot be a second time, on any node. */
export interface UsedSignInEntity {
	readonly id: string;
	/** What it is known by, hashed. */
	readonly subject: string;
	readonly used_at: string;
}

export const usedSignInKind: EntityKindDefinition<UsedSignInEntity> = {
	fields: { id: "text", subject: "text", used_at: "text" },
	unique: [["subject"]],
	indexes: [["used_at"]],
};
