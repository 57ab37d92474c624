import type { Access, FirstUser } from "./access-api.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Credentials } from "./credentials-api.ts";
import type { ServiceTokens } from "./service-tokens-api.ts";
import type { SingleSignOn } from "./single-sign-on-api.ts";

/** What the engine has of this feature. */
export interface AccessApi {
	readonly credentials: Credentials;
	readonly singleSignOn: SingleSignOn;
	readonly apiKeys: ApiKeys;
	readonly access: Access;
	/** For what works for the service outside of executions. */
	readonly serviceTokens: ServiceTokens;
	/**
	 * Where no user exists yet, make the first administrator. To be called once the service is up: the
	 * password is shown nowhere else.
	 */
	ensureFirstUser(): Promise<FirstUser | undefined>;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends AccessApi {}
}
