import type { Clock, Options, Storage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { ServiceToken, ServiceTokens } from "./service-tokens-api.ts";
import { createTokens, type Tokens } from "./tokens.ts";

export interface ServiceTokenParts {
	readonly storage: Storage;
	readonly clock: Clock;
	readonly options: Pick<Options, "auth">;
}

export class StoredServiceTokens implements ServiceTokens {
	readonly #parts: ServiceTokenParts;
	readonly #tokens: Tokens;

	constructor(parts: ServiceTokenParts) {
		this.#parts = parts;
		this.#tokens = createTokens(parts);
	}

	async open(user: string, metadata: Readonly<Record<string, string>>): Promise<ServiceToken | undefined> {
		const { storage, clock, options } = this.#parts;
		const { enable, service_token_ttl: ttl } = options.auth;
		if (!enable) return undefined;
		const { id, token } = await this.#tokens.issue({ user, ttl, service: true, metadata });
		return {
			token,
			async renew() {
				await storage.update("token", id, { expiry: toTimestamp(clock.now() + ttl * 1_000_000) });
			},
			end: () => this.#tokens.revoke(id),
		};
	}
}
