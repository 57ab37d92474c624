import { type Identity, isSvcError, type SignOutStatement, SvcError } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { isReservedName } from "../../kernel/basics/names.ts";
import { toIdentity } from "../../kernel/basics/plugin-results.ts";
import { type OfferedCredentials, type Principal, withScopes } from "../../kernel/basics/principal.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "./access-exports.ts";
import type { ApiKeys } from "./api-keys.ts";
import { callWithTimeout } from "./auth-backend-call.ts";
import type { Credentials, IssuedToken, RemoteUser } from "./credentials-exports.ts";
import { ensureUser } from "./ensure-user.ts";
import { loadPrincipal } from "./load-principal.ts";
import { RunTokens } from "./run-tokens.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";
import { type KnownToken, Tokens } from "./tokens.ts";
import { createProxies, type ProxyClaim, type TrustedProxies } from "./trusted-proxies-exports.ts";

export interface CredentialDependencies extends Uses<"storage" | "clock" | "options" | "logger">, Pick<Kernel, "authBackend"> {
	readonly access: Access;
	readonly apiKeys: ApiKeys;
	/** Seconds that a backend may take to verify a password. */
	readonly backendTimeout?: number;
}

type UserPassword = Parameters<Credentials["signIn"]>[0];
type SignInOptions = Parameters<Credentials["signIn"]>[1];
type Location = OfferedCredentials["location"];

/** Verifies passwords, tokens and API keys of users and runs, and issues tokens. */
export class VerifiedCredentials implements Credentials {
	/** Tokens issued to running actions. */
	readonly runTokens: RunTokens;
	readonly #parts: CredentialDependencies;
	readonly #slowDown: SignInThrottle;
	readonly #proxies: TrustedProxies;
	readonly #tokens: Tokens;
	readonly #systemUser: Principal;

	constructor(parts: CredentialDependencies) {
		const { storage, clock, options } = parts;
		const { auth } = options;
		this.#parts = parts;
		this.#slowDown = new SignInThrottle({ storage, clock, limit: auth.failure_limit, longestWait: auth.failure_wait });
		this.#proxies = createProxies(auth);
		this.#tokens = new Tokens({ storage, clock });
		this.runTokens = new RunTokens(parts);
		this.#systemUser = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };
	}

	async signIn({ username, password }: UserPassword, { ttl, signal, remoteAddress }: SignInOptions): Promise<IssuedToken> {
		const { options, logger } = this.#parts;
		const lifetime = toLifetime(ttl, options.auth.token_ttl);
		const verify = () => this.#verify({ username, password }, { signal, remoteAddress });
		const identity = await this.#slowDown.attempt({ username, address: remoteAddress, signal }, verify).catch((error: unknown) => {
			if (isSvcError(error, "SVC_TOO_MANY")) {
				logger.warn("token refused: too many failures", { user: username, remote_address: remoteAddress });
			}
			throw error;
		});
		return this.#grant(identity, lifetime, remoteAddress);
	}

	/** Issues a token for an identity that a backend has verified. Throws `SVC_UNAUTHORIZED` if the name belongs to another subject. */
	async signInVerified(identity: Identity, { ttl, remoteAddress }: Omit<SignInOptions, "signal">): Promise<IssuedToken> {
		return this.#grant(identity, toLifetime(ttl, this.#parts.options.auth.token_ttl), remoteAddress);
	}

	async signInByProxy(remote: RemoteUser, { ttl }: Pick<SignInOptions, "ttl">): Promise<IssuedToken> {
		const { username, peerAddress, proxySecret, remoteAddress } = remote;
		const { options, logger } = this.#parts;
		const lifetime = toLifetime(ttl, options.auth.token_ttl);
		if (options.auth.mode !== "proxy" || !this.#proxies.isProxy({ peerAddress, proxySecret })) {
			logger.warn("token refused: not a trusted proxy", { peer_address: peerAddress });
			throw unauthorized("the request does not come from a trusted proxy");
		}
		if (!username) {
			logger.warn("token refused: the proxy does not name a user", { peer_address: peerAddress });
			throw unauthorized("the proxy does not name a user");
		}
		return this.#grant({ username }, lifetime, remoteAddress);
	}

	toClientAddress(claim: ProxyClaim, forwardedFor: string | null): string | undefined {
		return this.#proxies.toClientAddress(claim, forwardedFor);
	}

	async authenticate(offered: OfferedCredentials | undefined): Promise<Principal> {
		if (!this.#parts.options.auth.enable) return this.#systemUser;
		const { token, apiKey, location = "header" } = offered ?? {};
		if (token && apiKey) throw unauthorized("give either a token or an API key, not both");
		if (apiKey) return this.#ofApiKey(apiKey, location);
		if (!token) throw unauthorized("a token or an API key is needed");
		return this.#ofToken(token, location);
	}

	/** Revokes the tokens that were issued for a sign-in that has ended at the provider. */
	async endSignIns(ended: Pick<SignOutStatement, "subject" | "session">): Promise<void> {
		const tokens = await this.#tokens.revokeEnded(ended);
		this.#parts.logger.info("signed out by the provider", { tokens });
	}

	/** Removes a token by its id. Does nothing if the token does not exist. */
	removeToken(tokenId: string): Promise<void> {
		return this.#tokens.revoke(tokenId);
	}

	async revoke(token: string, principal: Principal): Promise<void> {
		const { logger } = this.#parts;
		const known = await this.#find(token);
		if (known === undefined) throw new SvcError("SVC_NOT_FOUND", "token: unknown or expired");
		if (known.user !== principal.username && !principal.isAdmin) {
			logger.warn("permission denied", { user: principal.username, token_id: known.id });
			throw new SvcError("SVC_FORBIDDEN", `user "${principal.username}" may not revoke a token of another user`);
		}
		await this.#tokens.revoke(known.id);
		await this.runTokens.revoke(token);
		logger.info("token revoked", { user: known.user, token_id: known.id, by: principal.username });
	}

	async validate(token: string): Promise<boolean> {
		return (await this.#find(token)) !== undefined;
	}

	async #find(token: string): Promise<KnownToken | undefined> {
		return (await this.#tokens.find(token)) ?? this.runTokens.find(token);
	}

	/**
	 * Returns the identity that the backend verified. Throws `SVC_UNAUTHORIZED` if the backend refuses the password, and `SVC_UNAVAILABLE` if
	 * it does not respond in time. Logs both failures.
	 */
	async #verify(
		{ username, password }: UserPassword,
		{ signal, remoteAddress }: Pick<SignInOptions, "signal" | "remoteAddress">,
	): Promise<Identity> {
		const { authBackend: backend, logger, backendTimeout: timeout } = this.#parts;
		const who = { user: username, ...(remoteAddress !== undefined && { remote_address: remoteAddress }) };
		// Some directories treat an empty password as an anonymous sign-in, which succeeds. So backends never get an empty password.
		const isAsked = backend !== undefined && backend.takesPasswords !== false && username !== "" && password !== "";
		const ask = async () => {
			const answer = await callWithTimeout((own) => backend?.authenticate({ username, password }, { signal: own }), { signal, timeout });
			return toIdentity(answer);
		};
		const identity = isAsked
			? await ask().catch((error: unknown) => {
					if (!signal.aborted) logger.error("sign-in could not be verified", { ...who, error });
					throw error;
				})
			: undefined;
		if (identity === undefined) {
			logger.warn("token refused: invalid credentials", who);
			throw unauthorized("invalid or missing credentials");
		}
		return identity;
	}

	async #ofApiKey(apiKey: string, location: Location): Promise<Principal> {
		const { id, user, scopes } = await this.#parts.apiKeys.verify(apiKey);
		// A key that an earlier version created, or that existed when `system_user.user` was changed, may belong to the system user.
		this.#assertNotSystem(user, {});
		const { access } = this.#parts;
		const owner = await loadPrincipal(user, { access, authentication: { method: "API key", location } });
		const principal = { ...owner, credential: `api_key:${id}` };
		return withScopes(principal, scopes);
	}

	async #ofToken(token: string, location: Location): Promise<Principal> {
		const known = await this.#find(token);
		if (known === undefined) throw unauthorized("the token is unknown or expired");
		const { id, user, expiry, service, author, scopes } = known;
		// Service tokens are exempt: runs started by rules of packs have tokens of the system user.
		if (!service) this.#assertNotSystem(user, {});
		const token_expire = `${expiry.slice(0, 19)}Z`;
		const authentication = { method: "authentication token", location, token_expire } as const;
		const principal = { credential: `token:${id}`, ...(await loadPrincipal(user, { access: this.#parts.access, authentication })) };
		if (!service) return principal;
		const run = { ...principal, run: id, ...(author !== null && { author }) };
		return withScopes(run, scopes);
	}

	/** Throws `SVC_UNAUTHORIZED` if the name is the system user's: that user must not sign in with any kind of credential. */
	#assertNotSystem(username: string, logged: { readonly remote_address?: string | undefined }): void {
		if (!isReservedName(username, this.#systemUser.username)) return;
		this.#parts.logger.warn("token refused: the name is that of the system user", { user: username, ...logged });
		throw unauthorized("the name is reserved for the system (system_user.user)");
	}

	async #grant(identity: Identity, ttl: number, remoteAddress: string | undefined): Promise<IssuedToken> {
		const { storage, clock, logger, access } = this.#parts;
		const { username, groups, subject, session } = identity;
		this.#assertNotSystem(username, { remote_address: remoteAddress });
		// Check the owner before the groups are stored: otherwise another subject's groups would become roles of the user with this name.
		await ensureUser(identity, { storage, clock, logger });
		if (groups !== undefined) await access.syncGroups(username, groups);
		const issued = await this.#tokens.issue({ user: username, ttl, service: false, metadata: {}, subject, session });
		const origin = remoteAddress === undefined ? {} : { remote_address: remoteAddress };
		logger.info("token granted", { user: issued.user, token_id: issued.id, expiry: issued.expiry, ...origin });
		return issued;
	}
}

/** Returns the lifetime of a token in seconds; the maximum if `ttl` is absent. Throws `SVC_INVALID` if `ttl` is not allowed. */
function toLifetime(ttl: number | null | undefined, maximum: number): number {
	if (ttl === null || ttl === undefined) return maximum;
	if (!Number.isInteger(ttl) || ttl < 1) throw new SvcError("SVC_INVALID", "ttl: must be a whole number of seconds, at least 1");
	if (ttl > maximum) throw new SvcError("SVC_INVALID", `ttl: must be at most ${maximum} seconds (auth.token_ttl), got ${ttl}`);
	return ttl;
}

function unauthorized(reason: string): SvcError {
	return new SvcError("SVC_UNAUTHORIZED", `Unauthorized - ${reason}`);
}
