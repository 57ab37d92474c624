import { hash, randomBytes } from "node:crypto";
import type { EndedSignIn, JsonObject, Storage, TokenEntity, Where } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { IssuedToken } from "./credentials-api.ts";

const tokenPattern = /^[0-9a-f]{32}$/;
const mostCached = 1_000;
/** Microseconds. Later times would have five digits in the year and no longer sort as text. */
export const latestExpiry = Date.parse("9999-12-31T00:00:00Z") * 1_000;

export interface TokenRequest {
	readonly user: string;
	/** Seconds. */
	readonly ttl: number;
	readonly service: boolean;
	readonly metadata: JsonObject;
	/** Of a provider that has vouched for the user. */
	readonly subject?: string | undefined;
	readonly session?: string | undefined;
}

/** A token that is good. */
export interface KnownToken {
	/** Of a run: that of its live action. */
	readonly id: string;
	readonly user: string;
	readonly expiry: string;
	/** Whether it was made for a running action or a sensor rather than for a person. */
	readonly service: boolean;
	/** Whose permissions count for templates where those of `user` do not; null: the user's. */
	readonly author: string | null;
	/** Permissions that it is narrowed to; null: to none. */
	readonly scopes: readonly string[] | null;
}

/** The tokens of the service: kept as hashes and found again by hash; the garbage collector removes those that have expired. */
export interface Tokens {
	issue(request: TokenRequest): Promise<IssuedToken>;
	/** The token, or undefined when it is unknown or has expired. */
	find(token: string): Promise<KnownToken | undefined>;
	revoke(id: string): Promise<void>;
	/** Those that were given for what a provider says has ended; how many there were. */
	revokeEnded(ended: Pick<EndedSignIn, "subject" | "session">): Promise<number>;
}

type TokenDependencies = Uses<"storage" | "clock">;

export function createTokens({ storage, clock }: TokenDependencies): Tokens {
	const cache = createCache(storage);
	return {
		async issue({ user, ttl, service, metadata, subject = null, session = null }) {
			const id = createId(clock);
			const token = randomBytes(16).toString("hex");
			const now = clock.now();
			const expiry = toTimestamp(Math.min(now + ttl * 1_000_000, latestExpiry));
			const created_at = toTimestamp(now);
			await storage.insert("token", [{ id, token_hash: toHash(token), user, expiry, service, created_at, metadata, subject, session }]);
			return { id, user, token, expiry, metadata, service };
		},
		async find(token) {
			if (!tokenPattern.test(token)) return undefined;
			const entity = await cache.find(toHash(token));
			return entity !== undefined && entity.expiry > toTimestamp(clock.now()) ? toKnown(entity) : undefined;
		},
		async revoke(id) {
			await storage.remove("token", { where: { id } });
			cache.forget(id);
		},
		async revokeEnded(ended) {
			let count = 0;
			for (const where of toEnded(ended)) count += await storage.remove("token", { where });
			cache.forgetAll();
			return count;
		},
	};
}

/** What was given without a session may be of any: the end of one ends it too. */
function toEnded({ subject, session }: Pick<EndedSignIn, "subject" | "session">): readonly Where<TokenEntity>[] {
	if (session === undefined) return subject === undefined ? [] : [{ subject }];
	if (subject === undefined) return [{ session }];
	return [
		{ subject, session },
		{ subject, session: null },
	];
}

/** Earlier versions kept with the token of a run what its execution says. */
function toKnown({ id, user, expiry, service, metadata }: TokenEntity): KnownToken {
	const { author, scopes } = metadata;
	return {
		id,
		user,
		expiry,
		service,
		author: typeof author === "string" ? author : null,
		scopes: Array.isArray(scopes) ? scopes.map(String) : null,
	};
}

/** What a token is known by. */
export function toHash(token: string): string {
	return hash("sha256", token);
}

/**
 * Tokens found lately, so that each request does not ask the storage. Not where another node could revoke them unseen, and not those that
 * an earlier version kept for runs: whatever ends a run removes its token in the same write, and from then on it must not work.
 */
function createCache(storage: Storage) {
	const tokens = new Map<string, TokenEntity>();
	let revocations = 0;
	return {
		async find(token_hash: string): Promise<TokenEntity | undefined> {
			const cached = tokens.get(token_hash);
			if (cached !== undefined) return cached;
			const revocationsBefore = revocations;
			const [entity] = await storage.find("token", { where: { token_hash }, limit: 1 });
			// What was read while a token was being revoked may be that token, from before.
			if (entity === undefined || entity.service || storage.capabilities.shared === true || revocations !== revocationsBefore)
				return entity;
			const [oldest] = tokens.keys();
			if (tokens.size >= mostCached && oldest !== undefined) tokens.delete(oldest);
			tokens.set(token_hash, entity);
			return entity;
		},
		forget(id: string): void {
			revocations += 1;
			for (const [token_hash, entity] of tokens) if (entity.id === id) tokens.delete(token_hash);
		},
		forgetAll(): void {
			revocations += 1;
			tokens.clear();
		},
	};
}
