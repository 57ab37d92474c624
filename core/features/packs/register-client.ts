import type { Api } from "../../client/api.ts";

/** Which packs are to be registered, and what of them. */
export interface RegisterRequest {
	/** Refs. Default: those in the directories of the configuration, and those that are installed. */
	readonly packs?: readonly string[];
	/** Such as `actions` or `rule`; what is not known is ignored. Default: everything. */
	readonly types?: readonly string[];
	/** Change nothing where one file cannot be used. Default true; otherwise the others are registered. */
	readonly fail_on_failure?: boolean;
}

/** How many there are of each kind that was asked for; `<kind>(overridden)` where operators have overridden what packs say. */
export type RegisterRecord = Readonly<Record<string, number>>;

/** Packs that are read again. */
export interface PackRegisterClient {
	/** Have packs be what their files say: how many there are of each kind. */
	register(request?: RegisterRequest): Promise<RegisterRecord>;
}

export function createPackRegisterClient({ read }: Api): PackRegisterClient {
	return { register: (body = {}) => read("/packs/register", { method: "POST", body: { ...body } }) };
}
