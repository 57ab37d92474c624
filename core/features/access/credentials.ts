import {
	type AuthBackend,
	type Clock,
	isSvcError,
	type JsonObject,
	type Logger,
	type Options,
	type Storage,
	SvcError,
} from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { isReservedName } from "../../kernel/basics/reserved-names.ts";
import { hasAdminRole } from "./access.ts";
import type { Access } from "./access-api.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Credentials, IssuedToken } from "./credentials-api.ts";
import { verifyIdentity } from "./sign-in.ts";
import { SlowDown } from "./slow-down.ts";
import { createTokens, type TokenDraft } from "./tokens.ts";
import { createProxies } from "./trusted-proxies-api.ts";
import { ensureUser } from "./users.ts";

export interface CredentialParts {
	readonly storage: Storage;
	readonly clock: Clock;
	readonly options: Options;
	/** May be undefined while authentication is off. */
	readonly authBackend: AuthBackend | undefined;
	readonly logger: Logger;
	readonly access: Access;
	readonly apiKeys: ApiKeys;
	/** Seconds a backend may take to verify a password. */
	readonly backendTimeout?: number;
}

export type StartedCredentials = Credentials & {
	/** A token with this id for a running action of `user`, to be stored with its state; undefined while authentication is off. */
	draftServiceToken(id: string, user: string, metadata: JsonObject): TokenDraft | undefined;
	/** Remove a token by its id; one that is gone already is no error. */
	removeToken(tokenId: string): Promise<void>;
};

export function createCredentials(parts: CredentialParts): StartedCredentials {
	const { storage, clock, options, authBackend, logger, access, backendTimeout } = parts;
	const { auth } = options;
	const slowDown = new SlowDown({ storage, clock, limit: auth.failure_limit, longestWait: auth.failure_wait });
	const proxies = createProxies(auth);
	const tokens = createTokens({ storage, clock });
	const signInParts = { backend: authBackend, logger, ...(backendTimeout !== undefined && { timeout: backendTimeout }) };
	const systemUser: Principal = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };

	/** Whatever says who somebody is: the system user signs in nowhere. */
	function assertNotSystem(username: string, logged: { readonly remote_address?: string | undefined }): void {
		if (!isReservedName(username, systemUser.username)) return;
		logger.warn("token refused: the name is the system user's", { user: username, ...logged });
		throw unauthorized("the name is reserved for the system (system_user.user)");
	}

	async function grant(username: string, ttl: number, remoteAddress: string | undefined): Promise<IssuedToken> {
		await ensureUser(username, { storage, clock, logger });
		const issued = await tokens.issue({ user: username, ttl, service: false, metadata: {} });
		const origin = remoteAddress === undefined ? {} : { remote_address: remoteAddress };
		logger.info("token granted", { user: issued.user, token_id: issued.id, expiry: issued.expiry, ...origin });
		return issued;
	}

	/** What the user may do; without access control every authenticated user counts as an administrator. */
	async function toPrincipal(username: string, authentication: Principal["authentication"]): Promise<Principal> {
		if (!access.enabled) return { username, isAdmin: true, authentication };
		const roles = await access.rolesOf(username);
		return { username, isAdmin: hasAdminRole(roles), roles, authentication };
	}

	return {
		async signIn({ username, password }, { ttl, signal, remoteAddress }) {
			const lifetime = toLifetime(ttl, auth.token_ttl);
			const verify = () => verifyIdentity({ username, password, signal, remoteAddress }, signInParts);
			const identity = await slowDown.attempt({ username, address: remoteAddress, signal }, verify).catch((error: unknown) => {
				if (isSvcError(error, "SVC_TOO_MANY")) {
					logger.warn("token refused: too many failures", { user: username, remote_address: remoteAddress });
				}
				throw error;
			});
			assertNotSystem(identity.username, { remote_address: remoteAddress });
			if (identity.groups !== undefined) await access.syncGroups(identity.username, identity.groups);
			return grant(identity.username, lifetime, remoteAddress);
		},
		async signInByProxy({ username, peerAddress, proxySecret, remoteAddress }, { ttl }) {
			const lifetime = toLifetime(ttl, auth.token_ttl);
			if (auth.mode !== "proxy" || !proxies.isProxy({ peerAddress, proxySecret })) {
				logger.warn("token refused: not a trusted proxy", { peer_address: peerAddress });
				throw unauthorized("the request does not come from a trusted proxy");
			}
			if (!username) {
				logger.warn("token refused: the proxy names no user", { peer_address: peerAddress });
				throw unauthorized("the proxy names no user");
			}
			assertNotSystem(username, { remote_address: remoteAddress });
			return grant(username, lifetime, remoteAddress);
		},
		toClientAddress: proxies.toClientAddress,
		async authenticate(offered) {
			if (!auth.enable) return systemUser;
			const { token, apiKey, location = "header" } = offered ?? {};
			if (token && apiKey) throw unauthorized("only one of token and API key may be given, not both");
			if (apiKey) {
				const { user, scopes } = await parts.apiKeys.verify(apiKey);
				// One of an earlier version, or made while authentication was off.
				assertNotSystem(user, {});
				const principal = await toPrincipal(user, { method: "API key", location });
				// What only administrators may do cannot be named by a scope, so a narrowed key may not.
				return scopes === null ? principal : { ...principal, isAdmin: false, scopes };
			}
			if (!token) throw unauthorized("a token or an API key is needed");
			const entity = await tokens.find(token);
			if (entity === undefined) throw unauthorized("the token is unknown or has expired");
			// Runs of rules have tokens of the system user.
			if (!entity.service) assertNotSystem(entity.user, {});
			const expire = `${entity.expiry.slice(0, 19)}Z`;
			const principal = await toPrincipal(entity.user, { method: "authentication token", location, token_expire: expire });
			if (!entity.service) return principal;
			const { author, scopes } = entity.metadata;
			// The token of a run has the id of its live action.
			const run = { ...principal, run: entity.id, ...(typeof author === "string" && { author }) };
			return Array.isArray(scopes) ? { ...run, isAdmin: false, scopes: scopes.map(String) } : run;
		},
		draftServiceToken(id, user, metadata) {
			return auth.enable ? tokens.draft({ id, user, ttl: auth.service_token_ttl, service: true, metadata }) : undefined;
		},
		removeToken: (tokenId) => tokens.revoke(tokenId),
		async revoke(token, principal) {
			const entity = await tokens.find(token);
			if (entity === undefined) throw new SvcError("SVC_NOT_FOUND", "token: it is unknown or has expired");
			if (entity.user !== principal.username && !principal.isAdmin) {
				logger.warn("permission denied", { user: principal.username, token_id: entity.id });
				throw new SvcError("SVC_FORBIDDEN", `user "${principal.username}" may not revoke a token of another user`);
			}
			await tokens.revoke(entity.id);
			logger.info("token revoked", { user: entity.user, token_id: entity.id, by: principal.username });
		},
		validate: async (token) => (await tokens.find(token)) !== undefined,
	};
}

/** Seconds a token is to live. */
function toLifetime(ttl: number | null | undefined, maximum: number): number {
	if (ttl === null || ttl === undefined) return maximum;
	if (!Number.isInteger(ttl) || ttl < 1) throw new SvcError("SVC_INVALID", "ttl: must be a whole number of seconds, at least 1");
	if (ttl > maximum) throw new SvcError("SVC_INVALID", `ttl: ${ttl} seconds asked for, at most ${maximum} are allowed (auth.token_ttl)`);
	return ttl;
}

function unauthorized(reason: string): SvcError {
	return new SvcError("SVC_UNAUTHORIZED", `Unauthorized - ${reason}`);
}
