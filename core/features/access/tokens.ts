import { hash, randomBytes } from "node:crypto";
import type { JsonObject, SignOutStatement, TokenEntity, Where } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { addToCache } from "../../lib/bounded-cache.ts";
import type { IssuedToken } from "./credentials-exports.ts";

const tokenPattern = /^[0-9a-f]{32}$/;
const maxCached = 1_000;
/** Latest expiry in microseconds. Later timestamps would have a year of five digits and no longer sort as strings. */
export const latestExpiry = Date.parse("9999-12-31T00:00:00Z") * 1_000;

export interface TokenRequest {
	readonly user: string;
	/** Lifetime in seconds. */
	readonly ttl: number;
	readonly service: boolean;
	readonly metadata: JsonObject;
	/** Subject and session at the provider that verified the user; undefined for other tokens. */
	readonly subject?: string | undefined;
	readonly session?: string | undefined;
}

export interface KnownToken {
	/** Id of the token. For the token of a run, the id of its live action. */
	readonly id: string;
	readonly user: string;
	readonly expiry: string;
	/** True if the token was issued for a running action or a sensor, not for a user. */
	readonly service: boolean;
	/** User whose permissions apply to templates instead of those of `user`; null if those of `user` apply. */
	readonly author: string | null;
	/** Permissions to which the token is restricted; null if it is not restricted. */
	readonly scopes: readonly string[] | null;
}

/** Tokens that the service issues to users, runs and sensors. Only their hashes are stored. The garbage collector deletes expired ones. */
export class Tokens {
	readonly #parts: Uses<"storage" | "clock">;
	/** Recently found tokens by hash, which save a query for each request. */
	readonly #cached = new Map<string, TokenEntity>();
	#revocations = 0;

	constructor(parts: Uses<"storage" | "clock">) {
		this.#parts = parts;
	}

	async issue({ user, ttl, service, metadata, ...signIn }: TokenRequest): Promise<IssuedToken> {
		const { storage, clock } = this.#parts;
		const { subject = null, session = null } = signIn;
		const id = createId(clock);
		const token = randomBytes(16).toString("hex");
		const now = clock.now();
		const expiry = toTimestamp(Math.min(now + ttl * 1_000_000, latestExpiry));
		const created_at = toTimestamp(now);
		await storage.insert("token", [{ id, token_hash: toHash(token), user, expiry, service, created_at, metadata, subject, session }]);
		return { id, user, token, expiry, metadata, service };
	}

	/** Returns the token; undefined if it is unknown or has expired. */
	async find(token: string): Promise<KnownToken | undefined> {
		if (!tokenPattern.test(token)) return undefined;
		const entity = await this.#find(toHash(token));
		return entity !== undefined && entity.expiry > toTimestamp(this.#parts.clock.now()) ? toKnown(entity) : undefined;
	}

	async revoke(id: string): Promise<void> {
		await this.#parts.storage.remove("token", { where: { id } });
		this.#revocations += 1;
		for (const [token_hash, entity] of this.#cached) if (entity.id === id) this.#cached.delete(token_hash);
	}

	/** Revokes the tokens that were issued for an ended sign-in at a provider. Returns their number. */
	async revokeEnded(ended: Pick<SignOutStatement, "subject" | "session">): Promise<number> {
		let count = 0;
		for (const where of toEnded(ended)) count += await this.#parts.storage.remove("token", { where });
		this.#revocations += 1;
		this.#cached.clear();
		return count;
	}

	/**
	 * Returns the record of a token. Tokens are not cached if another node may revoke them unnoticed. Service tokens are not cached either,
	 * because earlier versions stored them for runs. The write that ends a run removes its token, which must not be accepted after that.
	 */
	async #find(token_hash: string): Promise<TokenEntity | undefined> {
		const cached = this.#cached.get(token_hash);
		if (cached !== undefined) return cached;
		const { storage } = this.#parts;
		const revocationsBefore = this.#revocations;
		const [entity] = await storage.find("token", { where: { token_hash }, limit: 1 });
		// A token that was read while a token was being revoked may be the revoked one, so do not cache it.
		if (entity === undefined || entity.service || storage.capabilities.shared === true || this.#revocations !== revocationsBefore)
			return entity;
		addToCache(this.#cached, token_hash, entity, maxCached);
		return entity;
	}
}

/** Returns the conditions for tokens of an ended sign-in. A token without a session may be of any session of its subject, so it ends. */
function toEnded({ subject, session }: Pick<SignOutStatement, "subject" | "session">): readonly Where<TokenEntity>[] {
	if (session === undefined) return subject === undefined ? [] : [{ subject }];
	if (subject === undefined) return [{ session }];
	return [
		{ subject, session },
		{ subject, session: null },
	];
}

/** Returns the data of a stored token. Earlier versions stored author and scopes of a run with its token instead of its execution. */
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

export function toHash(token: string): string {
	return hash("sha256", token);
}
