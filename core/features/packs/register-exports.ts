import type { Principal } from "../../kernel/basics/principal.ts";

/** Packs to register, and the kinds of their content. */
export interface RegisterInput {
	/** Refs. Default: all packs in the configured directories, and all installed packs. */
	readonly packs?: readonly string[];
	/** Kinds to register, such as `actions` or `rule`; unknown kinds are ignored. Default: all kinds. */
	readonly types?: readonly string[];
	/** True to change nothing if one file is invalid; false to register the other files. Default: true. */
	readonly fail_on_failure?: boolean;
}

/** Count of records of each requested kind. `<kind>(overridden)` counts the records whose `enabled` operators have overridden. */
export type RegisterCounts = Readonly<Record<string, number>>;

/** Registers packs again while the service runs. */
export interface PackRegister {
	/**
	 * Updates the records of packs to match their files, in one write that is visible to every node. Packs in directories are read again on
	 * this node; installed packs are registered from their stored content.
	 *
	 * Throws `SVC_INVALID`, which lists the problems of files and the packs that are not on this node. Throws `SVC_FORBIDDEN` if a new or
	 * changed file refers to content of other packs on which the principal lacks the permission.
	 */
	register(input: RegisterInput, principal: Principal): Promise<RegisterCounts>;
}
