import type { Principal } from "../../kernel/basics/principal.ts";

/** Which packs are to be registered, and what of them. */
export interface RegisterInput {
	/** Refs. Default: those in the directories of the configuration, and those that are installed. */
	readonly packs?: readonly string[];
	/** Such as `actions` or `rule`; what is not known is ignored. Default: everything. */
	readonly types?: readonly string[];
	/** Change nothing where one file cannot be used. Default true; otherwise the others are registered. */
	readonly fail_on_failure?: boolean;
}

/** How many there are of each kind that was asked for; `<kind>(overridden)` where operators have overridden what packs say. */
export type RegisterCounts = Readonly<Record<string, number>>;

/** Has packs be what their files say. */
export interface PackRegister {
	/**
	 * In one write, seen by every node. Packs in directories are read again on this node; installed ones are what they are.
	 *
	 * `SVC_INVALID` names what is wrong with which file, and packs that are not here. `SVC_FORBIDDEN` where a new or changed file
	 * concerns content of other packs on which the principal lacks the permission.
	 */
	register(input: RegisterInput, principal: Principal): Promise<RegisterCounts>;
}
