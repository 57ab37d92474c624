import type { ApiClient } from "../../client/api-client.ts";

/** Packs to register, and the kinds of their content. */
export interface RegisterRequest {
	/** Refs. Default: all packs in the configured directories, and all installed packs. */
	readonly packs?: readonly string[];
	/** Kinds to register, such as `actions` or `rule`; unknown kinds are ignored. Default: all kinds. */
	readonly types?: readonly string[];
	/** True to change nothing if one file is invalid; false to register the other files. Default: true. */
	readonly fail_on_failure?: boolean;
}

/** Count of records of each requested kind. `<kind>(overridden)` counts the records whose `enabled` operators have overridden. */
export type RegisterRecord = Readonly<Record<string, number>>;

/** Client that registers packs again. */
export interface PackRegisterClient {
	/** Updates the records of packs to match their files. Returns the count of records of each kind. */
	register(request?: RegisterRequest): Promise<RegisterRecord>;
}

export function createPackRegisterClient({ read }: ApiClient): PackRegisterClient {
	return { register: (body = {}) => read("/packs/register", { method: "POST", body: { ...body } }) };
}
