import type { Options } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { ProcessToken, ProcessTokens } from "./process-tokens-api.ts";
import { createTokens, type Tokens } from "./tokens.ts";

export interface ProcessTokenOptions extends Uses<"storage" | "clock"> {
	readonly options: Pick<Options, "auth">;
}

export class StoredProcessTokens implements ProcessTokens {
	readonly #parts: ProcessTokenOptions;
	readonly #tokens: Tokens;

	constructor(parts: ProcessTokenOptions) {
		this.#parts = parts;
		this.#tokens = createTokens(parts);
	}

	async open(user: string, metadata: Readonly<Record<string, string>>): Promise<ProcessToken | undefined> {
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
