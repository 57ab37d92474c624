import { createHash, randomBytes } from "node:crypto";
import type { Clock, JsonObject, Storage, TokenEntity } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { IssuedToken } from "./credentials-api.ts";

const tokenPattern = /^[0-9a-f]{32}$/;
const mostCached = 1_000;
/** Later times would have five digits in the year and no longer sort as text. */
const latestExpiry = Date.parse("9999-12-31T00:00:00Z") * 1_000;

export interface TokenRequest {
	/** Id of the record; default a new one. */
	readonly id?: string;
	readonly user: string;
	/** Seconds. */
	readonly ttl: number;
	readonly service: boolean;
	readonly metadata: JsonObject;
}

/** A token that is not stored yet: whoever stores the entity has issued it. */
export interface TokenDraft {
	readonly token: string;
	readonly entity: TokenEntity;
}

/** The tokens of the service: kept as hashes and found again by hash; the garbage collector removes those that have expired. */
export interface Tokens {
	issue(request: TokenRequest): Promise<IssuedToken>;
	draft(request: TokenRequest): TokenDraft;
	/** The token, or undefined when it is unknown or has expired. */
	find(token: string): Promise<TokenEntity | undefined>;
	revoke(id: string): Promise<void>;
}

interface TokenParts {
	readonly storage: Storage;
	readonly clock: Clock;
}

export function createTokens({ storage, clock }: TokenParts): Tokens {
	const cache = createCache(storage);

	function draft({ id = createId(clock), user, ttl, service, metadata }: TokenRequest): TokenDraft {
		const token = randomBytes(16).toString("hex");
		const now = clock.now();
		const entity: TokenEntity = {
			id,
			token_hash: toHash(token),
			user,
			expiry: toTimestamp(Math.min(now + ttl * 1_000_000, latestExpiry)),
			service,
			created_at: toTimestamp(now),
			metadata,
		};
		return { token, entity };
	}

	return {
		draft,
		async issue(request) {
			const { token, entity } = draft(request);
			await storage.insert("token", [entity]);
			const { id, user, expiry, metadata, service } = entity;
			return { id, user, token, expiry, metadata, service };
		},
		async find(token) {
			if (!tokenPattern.test(token)) return undefined;
			const entity = await cache.find(toHash(token));
			return entity !== undefined && entity.expiry > toTimestamp(clock.now()) ? entity : undefined;
		},
		async revoke(id) {
			await storage.remove("token", { where: { id } });
			cache.forget(id);
		},
	};
}

function toHash(token: string): string {
	return createHash("sha256").update(token).digest("hex");
}

/**
 * Tokens found lately, so that each request does not ask the storage. Not where another node could revoke them unseen, and not those of
 * runs: whatever ends a run removes its token in the same write, and from then on it must not work.
 */
function createCache(storage: Storage) {
	const tokens = new Map<string, TokenEntity>();
	let revocations = 0;
	return {
		async find(hash: string): Promise<TokenEntity | undefined> {
			const cached = tokens.get(hash);
			if (cached !== undefined) return cached;
			const revocationsBefore = revocations;
			const [entity] = await storage.find("token", { where: { token_hash: hash }, limit: 1 });
			// What was read while a token was being revoked may be that token, from before.
			if (entity === undefined || entity.service || storage.capabilities.shared === true || revocations !== revocationsBefore)
				return entity;
			const [oldest] = tokens.keys();
			if (tokens.size >= mostCached && oldest !== undefined) tokens.delete(oldest);
			tokens.set(hash, entity);
			return entity;
		},
		forget(id: string): void {
			revocations += 1;
			for (const [hash, entity] of tokens) if (entity.id === id) tokens.delete(hash);
		},
	};
}
