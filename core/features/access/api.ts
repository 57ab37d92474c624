import type { Access, FirstUser } from "./access-exports.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Credentials } from "./credentials-exports.ts";
import type { ProcessTokens } from "./process-tokens-exports.ts";
import type { SingleSignOn } from "./single-sign-on-exports.ts";

/** Members that this feature adds to the engine. */
export interface AccessApi {
	readonly credentials: Credentials;
	readonly singleSignOn: SingleSignOn;
	readonly apiKeys: ApiKeys;
	readonly access: Access;
	/** Tokens for processes of the service that are not executions, such as sensors. */
	readonly processTokens: ProcessTokens;
	/**
	 * Creates the first administrator if no user exists yet. Call it once the service is running: the returned password is shown nowhere
	 * else.
	 */
	ensureFirstUser(): Promise<FirstUser | undefined>;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends AccessApi {}
}
