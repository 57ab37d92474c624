import { createHash } from "node:crypto";
import { type ApiKeyEntity, isSvcError, type JsonObject, SvcError } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import type { OrderBy } from "../../http/sort.ts";
import { parseTimestamp } from "../../http/timestamp.ts";
import { fromTimestamp, toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId, isId } from "../../kernel/basics/ids.ts";
import { assertNoHiddenCharacters, assertNotReservedName } from "../../kernel/basics/names.ts";
import { type Page, type Paging, readPage } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { trimSlashes } from "../../lib/trim-slashes.ts";
import { ensureUser } from "./ensure-user.ts";
import { isPermissionType } from "./permission-types.ts";
import { createRandomSecret } from "./random-secret.ts";

/** Fixed salt, so that a key has the same hash on every instance and exported keys can be loaded on another one. */
const salt = "svc-api-key:";
const hashPattern = /^[0-9a-f]{128}$/;
/** Microseconds between updates of `last_used_at`. */
const usageInterval = 60_000_000;

/** Query of a list of keys. */
export interface ApiKeyListing extends Paging {
	readonly user?: string;
	/** Default: oldest first. */
	readonly orderBy?: OrderBy<"id" | "user" | "created_at">;
}

/** Body of a request that creates, loads or updates a key. */
export interface ApiKeyInput {
	readonly id?: string;
	readonly user?: string | null;
	readonly metadata?: JsonObject;
	readonly enabled?: boolean;
	/** Hash of a key that is loaded from another instance. */
	readonly key_hash?: string;
	readonly created_at?: string;
	readonly expires_at?: string | null;
	readonly scopes?: readonly string[] | null;
}

export interface ApiKeyDependencies extends Uses<"storage" | "clock" | "logger"> {
	/** Name of the system user, which cannot have API keys. */
	readonly systemUser: string;
}

/** API keys in the storage. */
export class StoredApiKeys {
	readonly #parts: ApiKeyDependencies;

	constructor(parts: ApiKeyDependencies) {
		this.#parts = parts;
	}

	/**
	 * Creates a key and returns it; it cannot be read later. With `key_hash`, loads a key by its hash and returns null as `key`. Throws
	 * `SVC_FORBIDDEN` if the key is for another user, unless the principal is an administrator. Also throws it if the key would have more
	 * scopes than the principal, and always for the token of a run.
	 */
	async create(input: ApiKeyInput, principal: Principal): Promise<{ readonly entity: ApiKeyEntity; readonly key: string | null }> {
		assertNoRun(principal);
		const user = input.user || principal.username;
		if (user !== principal.username) assertAdmin(principal, "user");
		assertNotReservedName("user", user, this.#parts.systemUser);
		assertNoHiddenCharacters("metadata", input.metadata);
		const key = input.key_hash === undefined ? createRandomSecret(64) : null;
		const entity: ApiKeyEntity = {
			id: toGivenId(input) ?? createId(this.#parts.clock),
			key_hash: key === null ? toGivenHash(input.key_hash) : toHash(key),
			user,
			enabled: input.enabled ?? true,
			created_at: this.#toTime(input.created_at, "created_at") ?? this.#now(),
			last_used_at: null,
			expires_at: this.#toTime(input.expires_at, "expires_at") ?? null,
			metadata: input.metadata ?? {},
			scopes: toScopes(input.scopes),
		};
		assertWithinScopes(entity.scopes, principal);
		await ensureUser({ username: user }, this.#parts);
		await this.#parts.storage.insert("api_key", [entity]).catch((error: unknown) => {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			throw new SvcError("SVC_CONFLICT", "Tried to save duplicate unique keys: key_hash or id is taken", {
				cause: error,
				facts: error.facts,
			});
		});
		this.#parts.logger.info("API key created", { key_id: entity.id, user, loaded: key === null, by: principal.username });
		return { entity, key };
	}

	/** Returns a page of the keys: those of the user, if one is given. */
	async list({ user, ...paging }: ApiKeyListing): Promise<Page<ApiKeyEntity>> {
		return readPage(this.#parts.storage, "api_key", { where: user === undefined ? {} : { user }, ...paging });
	}

	/** Changes a key. Absent members keep their values. Throws `SVC_FORBIDDEN` in the same cases as `create`. */
	async update(idOrKey: string, input: ApiKeyInput, principal: Principal): Promise<ApiKeyEntity> {
		assertNoHiddenCharacters("metadata", input.metadata);
		assertNoRun(principal);
		const old = await this.get(idOrKey);
		if (input.user !== undefined && !input.user) throw new SvcError("SVC_INVALID", "user: must name the owner of the key");
		if (input.user && input.user !== old.user) assertAdmin(principal, "user");
		if (input.user) assertNotReservedName("user", input.user, this.#parts.systemUser);
		const scopes = input.scopes === undefined ? old.scopes : toScopes(input.scopes);
		assertWithinScopes(scopes, principal);
		const hash = input.key_hash;
		if (hash !== undefined && hash !== "" && hash !== secretMask && hash !== old.key_hash) {
			throw new SvcError("SVC_INVALID", "key_hash: cannot be changed");
		}
		if (input.user) await ensureUser({ username: input.user }, this.#parts);
		const changed = await this.#parts.storage.update("api_key", old.id, {
			...(input.user && { user: input.user }),
			...(input.metadata !== undefined && { metadata: input.metadata }),
			...(input.enabled !== undefined && { enabled: input.enabled }),
			...(input.expires_at !== undefined && { expires_at: this.#toTime(input.expires_at, "expires_at") ?? null }),
			...(input.scopes !== undefined && { scopes }),
		});
		if (changed === undefined) throw new SvcError("SVC_NOT_FOUND", "API key cannot be found");
		this.#parts.logger.info("API key changed", {
			key_id: changed.id,
			user: changed.user,
			enabled: changed.enabled,
			by: principal.username,
		});
		return changed;
	}

	async remove(idOrKey: string, principal: Principal): Promise<void> {
		const { id, user } = await this.get(idOrKey);
		await this.#parts.storage.remove("api_key", { where: { id } });
		this.#parts.logger.info("API key deleted", { key_id: id, user, by: principal.username });
	}

	/** Returns the record of a usable key. Throws `SVC_UNAUTHORIZED` if the key is unknown, disabled or expired. */
	async verify(key: string): Promise<ApiKeyEntity> {
		const entity = await this.#findByKey(key);
		if (entity === undefined) throw this.#refused("the API key is unknown", entity);
		if (!entity.enabled) throw this.#refused("the API key is disabled", entity);
		if (entity.expires_at !== null && entity.expires_at <= this.#now()) throw this.#refused("the API key has expired", entity);
		await this.#noteUse(entity);
		return entity;
	}

	/** Returns a key by its id or by the key itself. Throws `SVC_NOT_FOUND` if it does not exist. */
	async get(idOrKey: string): Promise<ApiKeyEntity> {
		const found = (isId(idOrKey) ? await this.#parts.storage.get("api_key", idOrKey) : undefined) ?? (await this.#findByKey(idOrKey));
		// `idOrKey` may be a key, so the message must not contain it.
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", "API key cannot be found");
		return found;
	}

	async #findByKey(key: string): Promise<ApiKeyEntity | undefined> {
		const [entity] = await this.#parts.storage.find("api_key", { where: { key_hash: toHash(key) }, limit: 1 });
		return entity;
	}

	async #noteUse(entity: ApiKeyEntity): Promise<void> {
		const last = entity.last_used_at === null ? 0 : fromTimestamp(entity.last_used_at);
		if (this.#parts.clock.now() - last < usageInterval) return;
		await this.#parts.storage.update("api_key", entity.id, { last_used_at: this.#now() });
	}

	#toTime(text: string | null | undefined, field: string): string | undefined {
		return text === undefined || text === null ? undefined : parseTimestamp(field, text, fromTimestamp(this.#now()) / 1_000);
	}

	#refused(reason: string, entity: ApiKeyEntity | undefined): SvcError {
		this.#parts.logger.warn("API key refused", { reason, ...(entity !== undefined && { key_id: entity.id, user: entity.user }) });
		return new SvcError("SVC_UNAUTHORIZED", `Unauthorized - ${reason}`);
	}

	#now(): string {
		return toTimestamp(this.#parts.clock.now());
	}
}

/** The API keys of an engine. */
export type ApiKeys = Pick<StoredApiKeys, keyof StoredApiKeys>;

function assertAdmin({ username, isAdmin }: Principal, field: string): void {
	if (!isAdmin) throw new SvcError("SVC_FORBIDDEN", `${field}: only administrators may name a user other than "${username}"`);
}

/** Throws `SVC_FORBIDDEN` for a run: its token ends with the run, so it must not create or change credentials that outlive it. */
function assertNoRun({ run, username }: Principal): void {
	if (run === undefined) return;
	throw new SvcError("SVC_FORBIDDEN", `the token of a run may not create or change API keys: sign in as "${username}" instead`);
}

/** Throws `SVC_FORBIDDEN` if the scopes exceed those of the principal: a restricted key must not create a less restricted one. */
function assertWithinScopes(scopes: readonly string[] | null, { scopes: own }: Principal): void {
	if (own === undefined || scopes?.every((scope) => own.includes(scope))) return;
	throw new SvcError("SVC_FORBIDDEN", `scopes: an API key with scopes may only grant its own scopes: ${own.join(", ")}`);
}

function toHash(key: string): string {
	return createHash("sha512").update(salt).update(key).digest("hex");
}

function toGivenId({ id }: ApiKeyInput): string | undefined {
	if (id === undefined || id === "") return undefined;
	if (!isId(id)) throw new SvcError("SVC_INVALID", "id: must be 24 hex characters");
	return id;
}

function toGivenHash(hash = ""): string {
	if (!hashPattern.test(hash)) throw new SvcError("SVC_INVALID", "key_hash: must be 128 hex characters");
	return hash;
}

function toScopes(scopes: readonly string[] | null | undefined): readonly string[] | null {
	if (scopes === undefined || scopes === null) return null;
	const unknown = scopes.find((scope) => !isPermissionType(scope) && !/^(?:webhook|worker):.+$/.test(scope));
	if (unknown !== undefined)
		throw new SvcError("SVC_INVALID", `scopes: "${unknown}" is neither a permission type nor webhook:<url> or worker:<label>`);
	return scopes.map((scope) => (scope.startsWith("webhook:") ? `webhook:${trimSlashes(scope.slice(8))}` : scope));
}
